// Batches whose owner stays with one contract for long.
#pragma once

#include "contract/contract_table.hpp"
#include "contract/seat.hpp"
#include "lockfree/shared_batch.hpp"

#include <optional>

namespace weft::inline v0::detail {

/// A thread that finds nothing due looks at the batches of the others. A batch that it sees twice
/// in the same state, at least `slow_batch_microseconds` apart, is slow: its other contracts are
/// freed (shared_batch.hpp), and any thread may claim them. A batch that is at rest, in a seat that
/// its thread has left (kept_batch.hpp), is found in the same way.
class slow_batches {
public:
    slow_batches(const contract_table& table, seat_list& seats) noexcept
        : table_{table}, seats_{seats} {}

    /// Whether a batch can be freed, or may become so in a moment: then a thread must not sleep.
    [[nodiscard]] bool may_have_some() const noexcept;
    /// Frees a batch that has not moved since the last look of this seat. The caller gives back
    /// what was freed; its own batch is claiming until then. If the batch is at rest, `left_behind`
    /// becomes its seat instead.
    [[nodiscard]] std::optional<shared_batch::freed>
    try_free_one(contract_seat& seat, contract_seat** left_behind = nullptr) noexcept;

private:
    /// What was seen of a batch.
    struct sighting {
        contract_seat* owner = nullptr; ///< null: it is not the batch that was watched
        std::optional<shared_batch::view> batch;
    };
    [[nodiscard]] bool is_worth_freeing(const shared_batch::view& seen) const noexcept;
    [[nodiscard]] sighting look_for_watched(const contract_seat& seat) const noexcept;

    const contract_table& table_;
    seat_list& seats_;
};

} // namespace weft::inline v0::detail
