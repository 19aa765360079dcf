// Tasks of a pool under its stealing policies: how fast work in a few queues reaches all workers.
// Tasks are submitted and forgotten; the worker that ends the last of them notifies the caller. So
// all differences come from finding work.
#pragma once

#include "runner/timed.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <atomic>
#include <bit>
#include <cstdint>
#include <ctime>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

namespace bench::stealing {

/// About 1.5 nanoseconds each on the machine of the published figures.
inline constexpr int rounds_of_leaf = 650;

inline std::uint64_t work(std::uint64_t seed, int rounds) {
    for (int each = 0; each != rounds; ++each) {
        seed ^= seed << 13U;
        seed ^= seed >> 7U;
        seed ^= seed << 17U;
    }
    return seed;
}

/// The leaf tasks that have not ended.
class remainder {
public:
    explicit remainder(std::int64_t leaves) : leaves_{leaves} {}

    void leaf(std::uint64_t number, int rounds) {
        if (work(number + 1, rounds) == 0) wrong_ = true; // never, but the compiler does not know
        if (leaves_.fetch_sub(1) == 1) done_.release();
    }
    /// Called by a thread outside the pool.
    bool wait() {
        done_.acquire();
        return !wrong_ && leaves_ == 0;
    }

private:
    std::atomic<std::int64_t> leaves_;
    std::atomic<bool> wrong_{false};
    std::binary_semaphore done_{0};
};

enum class load : std::uint8_t {
    balanced,  // a binary tree of tasks; its leaves work
    skewed,    // eight tasks bring others, each half as many as the one before, of very different
               // length
    one_queue, // one task brings all
};

inline void grow(weft::pool& pool, remainder& left, int depth, std::uint64_t number) {
    if (depth == 0) {
        left.leaf(number, rounds_of_leaf);
        return;
    }
    for (const std::uint64_t child : {number * 2, number * 2 + 1}) {
        pool.submit([&pool, &left, depth, child] { grow(pool, left, depth - 1, child); });
    }
}

class problem {
public:
    problem(load kind, int depth) : kind_{kind}, depth_{depth} {}

    [[nodiscard]] parameters describe() const {
        const char* names[]{"balanced", "skewed", "one-queue"};
        return {{"load", std::string{names[static_cast<int>(kind_)]}}, {"tasks", leaves()}};
    }
    [[nodiscard]] std::int64_t tasks() const { return leaves(); }
    [[nodiscard]] std::unique_ptr<remainder> make() const {
        return std::make_unique<remainder>(leaves());
    }

    bool run(weft::pool& pool, remainder& left) const {
        switch (kind_) {
        case load::balanced:
            pool.submit([&pool, &left, depth = depth_] { grow(pool, left, depth, 1); });
            break;
        case load::skewed:
            for (int source = 1; source <= 8; ++source) bring(pool, left, leaves() >> source, true);
            bring(pool, left, leaves() >> 8, true);
            break;
        case load::one_queue: bring(pool, left, leaves(), false); break;
        }
        return left.wait();
    }

private:
    [[nodiscard]] std::int64_t leaves() const { return std::int64_t{1} << depth_; }

    /// Submits a task that submits `count` others.
    static void bring(weft::pool& pool, remainder& left, std::int64_t count, bool varied) {
        pool.submit([&pool, &left, count, varied] {
            for (std::int64_t each = 0; each != count; ++each) {
                const auto number = static_cast<std::uint64_t>(each);
                // Twice as long with half the probability, up to 128 times.
                const int doublings = varied ? std::countr_zero(work(number + 1, 3) | 1U << 7U) : 2;
                const int rounds = (rounds_of_leaf << doublings) / 4;
                pool.submit([&left, number, rounds] { left.leaf(number, rounds); });
            }
        });
    }

    load kind_;
    int depth_;
};

/// CPU time of all threads of this process: what the tasks and the search for them have cost. Where
/// other programs use the machine too, it says more than the time.
inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline std::vector<sample> round(weft::pool& pool, const problem& some) {
    pool.run([] {});
    const auto left = some.make();
    const double cpu_before = cpu_seconds();
    const weft::cli::stopwatch watch;
    const bool right = some.run(pool, *left);
    const double seconds = watch.seconds();
    const double cpu = cpu_seconds() - cpu_before;
    expect_equal("whether all ran once", right, true);
    const double each = seconds * 1e9 / static_cast<double>(some.tasks());
    return {{"seconds", seconds, "s"}, {"ns_per_task", each, "ns"}, {"cpu_seconds", cpu, "s"}};
}

template <class Policy>
std::vector<contestant> contestants(const request& request) {
    const int depth = request.choose(15, 17);
    const auto pool = std::make_shared<weft::pool>(
        weft::pool_options{.workers = request.threads, .stealing = std::make_shared<Policy>()});
    std::vector<contestant> made;
    for (const load kind : {load::balanced, load::skewed, load::one_queue}) {
        const problem some{kind, depth};
        made.push_back({some.describe(), {}, [pool, some] { return round(*pool, some); }});
    }
    return made;
}

} // namespace bench::stealing
