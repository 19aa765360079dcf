// How large a batch is: as many contracts as take a few microseconds.
#pragma once

#include "contract/contract_store.hpp"
#include "contract/seat.hpp"
#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace weft::inline v0::detail {

inline constexpr unsigned batch_nanoseconds = 4000;    // the intended duration of a batch
inline constexpr unsigned batches_between_timings = 8; // if its contracts are quick
inline constexpr unsigned quick_nanoseconds = 100; // a contract that takes longer is always timed

/// The size of a batch that takes a few microseconds; 1 if no thread could free the others.
inline unsigned batch_size(const contract_seat& seat) noexcept {
    if (!sync::heavy_fence_works()) return 1;
    if (seat.nanoseconds == 0) return contract_store::width;
    return std::max(batch_nanoseconds / seat.nanoseconds, 1U);
}

/// Measures a batch of the seat, from construction to `stop`, if it is one of those that are
/// measured.
class batch_timer {
public:
    explicit batch_timer(contract_seat& seat) noexcept
        : seat_{seat}, timed_{++seat.batches % batches_between_timings == 0 ||
                              seat.nanoseconds > quick_nanoseconds},
          start_{timed_ ? sync::clock::now() : sync::clock::time_point{}} {}

    void stop(int contracts) noexcept {
        if (!timed_) return;
        using std::chrono::duration_cast;
        using std::chrono::nanoseconds;
        const auto taken =
            duration_cast<nanoseconds>(sync::clock::now() - start_).count() / contracts;
        const auto each =
            static_cast<unsigned>(std::min<std::int64_t>(taken, std::numeric_limits<int>::max()));
        seat_.nanoseconds = static_cast<unsigned>((std::uint64_t{seat_.nanoseconds} + each) / 2);
    }

private:
    contract_seat& seat_;
    const bool timed_;
    const sync::clock::time_point start_;
};

} // namespace weft::inline v0::detail
