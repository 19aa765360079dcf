// Mutation testing: each operation that the scenarios run is weakened in turn, and the scenarios
// are explored again. At least one of them must fail.
#pragma once

#include <weft/api.hpp>

#include <weft/explorer/explore.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::inline v0::explorer {

/// How an operation is changed.
enum class mutation_kind : std::uint8_t {
    drop_acquire,            ///< the operation no longer acquires
    drop_acquire_on_failure, ///< a compare-exchange that fails no longer acquires
    drop_release,            ///< the operation no longer releases
    drop_fence,              ///< the fence is removed
    soften_fence,            ///< a seq_cst fence is only acq_rel
    split,                   ///< a read-modify-write becomes a load and, later, a store
};

/// The enumerator's name.
[[nodiscard]] WEFT_API std::string_view name_of(mutation_kind kind) noexcept;

/// One operation in the source, changed in one way.
struct WEFT_API mutant {
    /// The change.
    mutation_kind kind;
    /// The source file of the operation.
    std::string file;
    /// Its line.
    std::uint32_t line;
    /// Its column.
    std::uint32_t column;
    /// The operation without the change.
    std::string operation;

    [[nodiscard]] std::string describe() const; ///< "deque.hpp:40 store: drop_release"
};

/// The result for one mutant.
struct mutant_result {
    /// The mutant.
    explorer::mutant mutant;
    /// Whether a scenario failed with it.
    bool caught = false;
    std::string caught_by; ///< scenario and failure
    /// The number of executions that were run for it.
    std::uint64_t executions = 0;
};

/// A scenario that is explored with each mutant.
struct scenario {
    /// Its name.
    std::string name;
    /// The options of the search.
    explorer::options options;
    /// The callable that is explored.
    std::function<void()> body;
};

/// The results for all mutants.
struct WEFT_API mutation_report {
    std::vector<report> unchanged; ///< the scenarios without a change; all must pass
    /// One for each mutant.
    std::vector<mutant_result> mutants;

    /// The scenarios pass without a change, there are mutants, and each is caught.
    [[nodiscard]] bool all_caught() const noexcept;
    /// The number of mutants that were caught.
    [[nodiscard]] std::size_t caught() const noexcept;
    [[nodiscard]] std::string summary() const; ///< one line, and a line for each that survived
};

/// Explores the scenarios without a change, then with every mutant of the operations in files whose
/// names end in `file_suffix` (empty: all files) until one scenario catches the mutant.
WEFT_API mutation_report mutate(const std::vector<scenario>& scenarios,
                                std::string_view file_suffix = {});

} // namespace weft::inline v0::explorer
