// A change of one operation, applied while the program runs.
#pragma once

#include <weft/explorer/detail/machine.hpp>
#include <weft/explorer/mutants.hpp>

#include <atomic>
#include <string_view>
#include <vector>

namespace weft::inline v0::explorer::detail {

/// Whether an operation is a read-modify-write; a compare-exchange may fail, and then has another
/// order.
enum class update : std::uint8_t { no, done, failed };

/// An operation, and where it is in the source.
struct operation_site {
    site place;
    std::string_view operation;
    std::memory_order order;
    detail::update update;
};

/// Collects the operations that a scenario runs, and applies a mutant to one of them.
class mutation {
public:
    void collect_into(std::vector<operation_site>* sites) noexcept { sites_ = sites; }
    void apply(const mutant* change) noexcept { change_ = change; }
    [[nodiscard]] bool idle() const noexcept { return sites_ == nullptr && change_ == nullptr; }

    /// The order that the operation has under the mutant; notes the operation when collecting.
    std::memory_order order_of(const operation_site& operation);
    [[nodiscard]] bool drops_fence(const site& place) const;
    [[nodiscard]] bool splits(const site& place, std::string_view operation) const;

private:
    [[nodiscard]] bool hits(const site& place, std::string_view operation) const;
    void note(const operation_site& operation);

    std::vector<operation_site>* sites_ = nullptr;
    const mutant* change_ = nullptr;
};

/// All mutants of the operations.
std::vector<mutant> mutants_of(const std::vector<operation_site>& sites,
                               std::string_view file_suffix);

/// Explores as the public function does, with operations collected or changed on the way.
report explore_with(std::string_view name, const options& limits,
                    const std::function<void()>& scenario, const mutation& change);

} // namespace weft::inline v0::explorer::detail
