// What a worker counts about itself.
#pragma once

#include "sync/atomic.hpp"

#include <cstdint>

namespace weft::inline v0 {

/// What one worker has done so far.
struct worker_statistics {
    std::uint64_t tasks = 0;          ///< tasks run from a queue, and children run for others
    std::uint64_t steals_tried = 0;   ///< looks at the queue of another
    std::uint64_t steals_won = 0;     ///< of these, with at least one task
    std::uint64_t parks = 0;          ///< times it was about to sleep for want of work
    std::uint64_t wakes = 0;          ///< times it did, and was woken
    std::uint64_t helps = 0;          ///< children run for another while it waited
    std::uint64_t waits = 0;          ///< times it slept in a join
    std::uint64_t orders_given = 0;   ///< to steal, by plans that it made
    std::uint64_t orders_carried = 0; ///< out, with at least one task
};

namespace detail {

/// Written by one worker, read by anybody: no update, two moves.
class counter {
public:
    void count(std::uint64_t more = 1) noexcept {
        value_.store(value_.load(sync::relaxed) + more, sync::relaxed);
    }
    [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(sync::relaxed); }

private:
    sync::atomic<std::uint64_t> value_{0};
};

struct worker_counters {
    counter tasks;
    counter steals_tried;
    counter steals_won;
    counter parks;
    counter wakes;
    counter helps;
    counter waits;
    counter orders_given;
    counter orders_carried;

    [[nodiscard]] worker_statistics read() const noexcept {
        return {tasks.read(), steals_tried.read(), steals_won.read(),
                parks.read(), wakes.read(),        helps.read(),
                waits.read(), orders_given.read(), orders_carried.read()};
    }
};

} // namespace detail
} // namespace weft::inline v0
