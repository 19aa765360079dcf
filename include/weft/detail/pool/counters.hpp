// The counters of a worker.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/pool.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Written by one worker, read by any thread: no atomic update, two moves.
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

    /// Of a worker and of the side stacks of its thread.
    struct sum : worker_statistics {
        void add(const worker_counters& more) noexcept {
            const worker_statistics one = more.read();
            tasks += one.tasks;
            steals_tried += one.steals_tried;
            steals_won += one.steals_won;
            parks += one.parks;
            wakes += one.wakes;
            helps += one.helps;
            waits += one.waits;
            orders_given += one.orders_given;
            orders_carried += one.orders_carried;
        }
    };
};

} // namespace weft::inline v0::detail
