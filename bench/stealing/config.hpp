// Tasks of a pool under its stealing policies: how fast work that comes to be in some queues reaches all workers. Tasks
// are submitted and forgotten; who ends the last of them tells. So all differences are those of finding work.
#pragma once

#include "runner/timed.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

namespace bench::stealing {

/// Some 1.5 nanoseconds each on the machine of the figures.
inline constexpr int rounds_of_leaf = 650;

inline std::uint64_t work(std::uint64_t seed, int rounds) {
    for (int each = 0; each != rounds; ++each) {
        seed ^= seed << 13U;
        seed ^= seed >> 7U;
        seed ^= seed << 17U;
    }
    return seed;
}

/// What is left to do.
class remainder {
public:
    explicit remainder(std::int64_t leaves) : leaves_{leaves} {}

    void leaf(std::uint64_t number, int rounds) {
        if (work(number + 1, rounds) == 0) wrong_ = true; // never, but the compiler does not know
        if (leaves_.fetch_sub(1) == 1) done_.release();
    }
    /// By a thread outside.
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
    balanced, // a binary tree of tasks; its leaves work
    skewed, // eight tasks bring others, each half as many as the one before, of very different length
    one_queue, // one task brings all
};

inline void grow(weft::pool& on, remainder& left, int depth, std::uint64_t number) {
    if (depth == 0) {
        left.leaf(number, rounds_of_leaf);
        return;
    }
    for (const std::uint64_t child : {number * 2, number * 2 + 1}) {
        on.submit([&on, &left, depth, child] { grow(on, left, depth - 1, child); });
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
    static void check(const std::unique_ptr<remainder>& /*state*/, bool found) {
        expect_equal("stealing: all ran once", found, true);
    }

    bool run(weft::pool& on, remainder& left) const {
        switch (kind_) {
        case load::balanced:
            on.submit([&on, &left, depth = depth_] { grow(on, left, depth, 1); });
            break;
        case load::skewed:
            for (int source = 1; source <= 8; ++source) bring(on, left, leaves() >> source, true);
            bring(on, left, leaves() >> 8, true);
            break;
        case load::one_queue: bring(on, left, leaves(), false); break;
        }
        return left.wait();
    }

private:
    [[nodiscard]] std::int64_t leaves() const { return std::int64_t{1} << depth_; }

    /// A task that submits so many others.
    static void bring(weft::pool& on, remainder& left, std::int64_t count, bool varied) {
        on.submit([&on, &left, count, varied] {
            for (std::int64_t each = 0; each != count; ++each) {
                const auto number = static_cast<std::uint64_t>(each);
                // Twice as long with half the probability, up to 128 times.
                const int doublings = varied ? std::countr_zero(work(number + 1, 3) | 1U << 7U) : 2;
                const int rounds = (rounds_of_leaf << doublings) / 4;
                on.submit([&left, number, rounds] { left.leaf(number, rounds); });
            }
        });
    }

    load kind_;
    int depth_;
};

/// A pool with the policy.
template <class Policy>
class stage {
public:
    explicit stage(const request& how)
        : pool_{
              weft::pool_options{.workers = how.threads, .stealing = std::make_shared<Policy>()}} {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {
        pool_.run([] {});
    }
    /// Not on a worker: the thread outside waits.
    template <class Body>
    auto run(const Body& body) {
        return body();
    }
    void after() {}
    weft::pool& pool() { return pool_; }

private:
    weft::pool pool_;
};

template <class Policy>
std::vector<contestant> contestants(const request& how) {
    constexpr int usual = 15;
    constexpr int large = 17;
    const auto all = [](int depth) {
        return std::vector<problem>{
            {load::balanced, depth}, {load::skewed, depth}, {load::one_queue, depth}};
    };
    return on_stage<stage<Policy>>(
        how, how.choose(all(usual), all(large)),
        [](stage<Policy>& on, const problem& some, const std::unique_ptr<remainder>& left) {
            return some.run(on.pool(), *left);
        });
}

} // namespace bench::stealing
