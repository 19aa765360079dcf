#include "contract/slow_batches.hpp"

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <chrono>

namespace weft::inline v0::detail {

bool slow_batches::is_worth_freeing(const shared_batch::view& seen) const noexcept {
    const contract_word now = table_.store.block(seen.block).look();
    return seen.worth_freeing(now.pending() & now.running()) != 0;
}

bool slow_batches::may_have_some() const noexcept {
    const bool can_free = sync::heavy_fence_works(); // a batch at rest needs no fence
    const auto worth = [this, can_free](const shared_batch::view& seen) {
        return seen.is_resting() || (can_free && is_worth_freeing(seen));
    };
    return seats_.find([&](contract_seat& each) {
        return can_free ? each.batch.may_have(worth) : each.batch.is_resting();
    }) != nullptr;
}

/// The batch that the seat watches, if its owner has not moved; else the first that is worth
/// freeing.
slow_batches::sighting slow_batches::look_for_watched(const contract_seat& seat) const noexcept {
    sighting found;
    found.owner = seats_.find([&](contract_seat& each) {
        const auto seen = each.batch.look();
        if (!seen || !is_worth_freeing(*seen)) return false;
        const bool watched = seen->key() == seat.watched;
        if (!found.batch || watched) found.batch = seen;
        return watched;
    });
    return found;
}

std::optional<shared_batch::freed>
slow_batches::try_free_one(contract_seat& seat, contract_seat** left_behind) noexcept {
    constexpr std::chrono::microseconds slow_time{constants::slow_batch_microseconds};
    const sighting found = look_for_watched(seat);
    if (found.owner == nullptr) {
        if (found.batch) {
            seat.watched = found.batch->key();
            seat.watched_since = sync::clock::now();
        }
        return std::nullopt;
    }
    if (sync::clock::now() - seat.watched_since < slow_time) return std::nullopt;
    seat.watched = 0;
    if (found.batch->is_resting()) {
        if (left_behind != nullptr) *left_behind = found.owner;
        return std::nullopt;
    }
    seat.batch.owner_begin(); // a waiter sees that this thread has them (shared_batch, B4)
    const auto freed = found.owner->batch.try_free(*found.batch);
    if (!freed) seat.batch.owner_end();
    return freed;
}

} // namespace weft::inline v0::detail
