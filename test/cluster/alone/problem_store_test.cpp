#include "problems.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"

#include <weft/detail/cluster/problem_store.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft {
namespace {

using test::random_tree;

/// A worker that shares and returns often.
class eager_guide final : public detail::worker_guide {
public:
    [[nodiscard]] advice between_tasks(std::size_t /*seat*/) noexcept override {
        return {.tasks = 4, .ends = ++asked_ % 8 == 0};
    }
    void notify() noexcept override {}

private:
    unsigned asked_ = 0;
};

TEST(problem_store, passes_tasks_between_workers_and_an_exchange) {
    for (std::uint64_t seed = 1;
         seed != static_cast<std::uint64_t>(test::scaled(WEFT_SANITIZED ? 5 : 20, 2'000)); ++seed) {
        const random_tree problem;
        const random_tree::task root{.number = seed};
        detail::problem_store<random_tree> store{problem, 2};
        store.add_root(root);
        std::atomic<bool> over{false};
        const auto work = [&] {
            eager_guide guide;
            while (!over) {
                if (!store.run_some(guide)) std::this_thread::yield();
            }
        };
        std::thread one{work};
        std::thread other{work};
        // Sends tasks to itself.
        std::vector<std::byte> bytes;
        while (!store.is_passive()) {
            store.want(3);
            bytes.clear();
            const std::size_t taken = store.take(5, detail::task_store::no_seat, bytes);
            if (taken != 0) store.put(bytes, taken);
            else std::this_thread::yield();
        }
        over = true;
        one.join();
        other.join();
        while (!store.try_pause()) std::this_thread::yield();
        bytes.clear();
        store.copy_result(bytes);
        random_tree::result found;
        detail::byte_reader{bytes}(found);
        ASSERT_EQ(found, random_tree::serial(root)) << "seed " << seed;
        ASSERT_EQ(store.queued(), 0U);
        store.resume();
    }
}

TEST(problem_store, has_its_tasks_again_when_their_bytes_are_put) {
    const random_tree problem;
    detail::problem_store<random_tree> store{problem, 1};
    store.add_root({.number = 1});
    store.add_root({.number = 2});
    ASSERT_TRUE(store.try_pause());
    std::vector<std::byte> bytes;
    EXPECT_EQ(store.copy_tasks(bytes), 2U);
    EXPECT_EQ(store.queued(), 2U);
    store.drop_tasks();
    EXPECT_TRUE(store.is_passive());
    store.put(bytes, 2);
    EXPECT_EQ(store.queued(), 2U);
    EXPECT_FALSE(store.is_passive());
    store.resume();
}

TEST(problem_store, refuses_bytes_that_end_too_early) {
    const random_tree problem;
    detail::problem_store<random_tree> store{problem, 1};
    const std::vector<std::byte> bytes(5);
    EXPECT_THROW(store.put(bytes, 1), error);
    EXPECT_TRUE(store.is_passive());
}

} // namespace
} // namespace weft
