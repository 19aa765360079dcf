// Does the scenario notice if an order is weakened? Each operation that the scenarios run is changed
// in turn, where it stands, and the scenarios are explored again: some must fail.
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
    drop_acquire_on_failure, ///< nor does a compare-exchange that is refused
    drop_release,            ///< the operation no longer releases
    drop_fence,              ///< the fence is gone
    soften_fence,            ///< a seq_cst fence is only acq_rel
    split,                   ///< a read-modify-write becomes a load and, later, a store
};

/// The enumerator's name.
[[nodiscard]] WEFT_API std::string_view name_of(mutation_kind kind) noexcept;

/// One operation in the source, changed in one way.
struct WEFT_API mutant {
    /// How it is changed.
    mutation_kind kind;
    /// Where it stands.
    std::string file;
    /// Where it stands.
    std::uint32_t line;
    /// Where it stands.
    std::uint32_t column;
    /// What it is without the change.
    std::string operation;

    [[nodiscard]] std::string describe() const; ///< "deque.hpp:40 store: drop_release"
};

/// What came of a mutant.
struct mutant_result {
    /// Which it is.
    explorer::mutant mutant;
    /// Some scenario failed with it.
    bool caught = false;
    std::string caught_by; ///< scenario and failure
    /// How many were run for it.
    std::uint64_t executions = 0;
};

/// What is explored with each mutant.
struct scenario {
    /// Its name.
    std::string name;
    /// The options of the search.
    explorer::options options;
    /// The callable that is explored.
    std::function<void()> body;
};

/// What came of all mutants.
struct WEFT_API mutation_report {
    std::vector<report> unchanged; ///< the scenarios as they are; all must pass
    /// One for each mutant.
    std::vector<mutant_result> mutants;

    /// The scenarios pass as they are, there are mutants, and each is caught.
    [[nodiscard]] bool all_caught() const noexcept;
    /// How many were caught.
    [[nodiscard]] std::size_t caught() const noexcept;
    [[nodiscard]] std::string summary() const; ///< one line, and a line for each that survived
};

/// Explores the scenarios as they are, then every mutant of the operations that stand in a file
/// whose name ends in `file_suffix` (empty: anywhere) until one scenario catches it.
WEFT_API mutation_report mutate(const std::vector<scenario>& scenarios,
                                std::string_view file_suffix = {});

} // namespace weft::inline v0::explorer
