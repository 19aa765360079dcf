#include <weft/detail/pool/pool_number.hpp>

#include "sync/global.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/mutex.hpp>
#include <weft/detail/sync/thread.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace weft::inline v0::detail {

struct pool_number::record {
    presence state;
    record* next = nullptr; // in the list of unused records
};

/// The first records need no allocation: few programs have more pools at one time.
struct pool_number::records {
    sync::mutex mutex;
    record* unused = nullptr;
    std::array<record, constants::pools_without_allocation> first{};
    std::size_t first_used = 0;

    record& take() {
        {
            const sync::lock_guard one_at_a_time{mutex};
            if (unused != nullptr) return *std::exchange(unused, unused->next);
            if (first_used != first.size()) return first[first_used++];
        }
        return *sync::make_permanent<record>();
    }
};

pool_number::records& pool_number::all() noexcept {
    static sync::global<records> all_of_them;
    return all_of_them.get();
}

pool_number::pool_number() : pool_number{all().take()} {}
pool_number::pool_number(record& taken) noexcept
    : record_{&taken}, value_{&taken.state, taken.state.begin()} {}

pool_number::~pool_number() { forget(); }

void pool_number::forget() noexcept {
    if (record_ == nullptr) return;
    record_->state.end();
    while (!record_->state.quiet()) sync::yield();
    records& pool_records = all();
    const sync::lock_guard one_at_a_time{pool_records.mutex};
    record_->next = std::exchange(pool_records.unused, record_);
    record_ = nullptr;
}

} // namespace weft::inline v0::detail
