// Random trees of tasks in which futures are joined by the task that has submitted them, by others,
// or by none: what waiters help with may wait for anything but a cycle.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/shared_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace weft {
namespace {

using namespace test;

using futures = std::vector<shared_future<std::uint64_t>>;

/// A task may wait for its own subtasks, for older ones of the tasks above it in the tree, and for
/// theirs: nothing that waits for it.
class random_tree {
public:
    explicit random_tree(pool& workers) : workers_{workers} {}

    std::uint64_t run(std::uint64_t seed, unsigned depth, const futures& known) {
        ++ran_;
        std::mt19937_64 random{seed};
        std::uint64_t joined = 0;
        if (depth == 0) return known.empty() || random() % 2 != 0 ? 1 : join_one(known, random);
        futures own;
        for (std::uint64_t count = 1 + random() % 4; count != 0; --count) {
            futures passed{known};
            for (const auto& each : own) {
                if (random() % 2 != 0) passed.push_back(each);
            }
            own.push_back(workers_
                              .submit([this, depth, next = random(), passed = std::move(passed)] {
                                  return run(next, depth - 1, passed);
                              })
                              .share());
            ++submitted_;
        }
        std::shuffle(own.begin(), own.end(), random);
        for (const auto& each : own) {
            if (random() % 4 != 0) joined += each.get();
        }
        if (!known.empty() && random() % 3 == 0) joined += join_one(known, random);
        return joined + 1;
    }

    [[nodiscard]] std::uint64_t ran() const { return ran_; }
    [[nodiscard]] std::uint64_t submitted() const { return submitted_; }

private:
    static std::uint64_t join_one(const futures& known, std::mt19937_64& random) {
        return known[random() % known.size()].get() != 0 ? 1 : 0;
    }

    pool& workers_;
    std::atomic<std::uint64_t> ran_{0};
    std::atomic<std::uint64_t> submitted_{1}; // the first
};

TEST(submitted_help, of_random_trees_ends_and_runs_each_task_once) {
    const std::uint64_t seeds = scaled(sanitized ? 8 : 60, 5'000);
    for (const std::size_t n : {1U, 2U, 3U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            pool workers{n};
            random_tree tree{workers};
            const std::uint64_t alone = [&] {
                pool one{1};
                random_tree serial{one};
                const std::uint64_t result = one.run([&] { return serial.run(seed, 6, {}); });
                one.stop(); // tasks that nobody has joined use the tree
                return result;
            }();
            ASSERT_EQ(workers.run([&] { return tree.run(seed, 6, {}); }), alone) << seed;
            workers.stop();
            ASSERT_EQ(tree.ran(), tree.submitted()) << seed;
        }
    }
}

} // namespace
} // namespace weft
