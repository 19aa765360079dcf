#include <weft/detail/fork_join/future_state.hpp>

#include "support/patience.hpp"
#include "support/sleeping_workers.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {
namespace {

using namespace std::chrono_literals;

TEST(task_memory, is_a_block_for_what_has_its_size_and_alignment) {
    EXPECT_TRUE(fits_block(block_cache::block_size, block_cache::block_alignment));
    EXPECT_FALSE(fits_block(block_cache::block_size + 1, block_cache::block_alignment));
    EXPECT_FALSE(fits_block(block_cache::block_size, 2 * block_cache::block_alignment));
}

/// Leaves a task in the worker's queue that was joined.
void join_out_of_turn(pool& workers) {
    auto first = workers.submit([] {});
    auto second = workers.submit([] {});
    first.get();
    second.get();
}

TEST(joinable_task, that_was_joined_out_of_turn_is_in_its_queue_until_that_is_full) {
    pool single{1};
    std::vector<int> order;
    single.run([&] {
        task_deque<task>& queue = worker::current()->queues.normal;
        for (int i = 1; i <= 2; ++i) single.submit([&order, i] { order.push_back(i); });
        while (queue.count() + 1 < constants::deque_capacity) {
            const std::size_t before = queue.count();
            join_out_of_turn(single);
            ASSERT_EQ(queue.count(), before + 1);
        }
        std::array<unsigned char, 64> content{};
        content.fill(0xff); // whatever looks at it as a task that can be joined finds it joined
        single.post([content, &order] { order.push_back(content[0] == 0xff ? 3 : 0); });
        ASSERT_TRUE(queue.owner_is_full());
        single.submit([&order] { order.push_back(4); });
        EXPECT_EQ(queue.count(), 4U) << "what was not joined";
        EXPECT_TRUE(order.empty());
    });
    single.stop();
    EXPECT_EQ(order, (std::vector{4, 3, 2, 1})) << "the youngest first, as ever";
}

joinable_task& task_of(const future<void>& owner) { return future_access::task(owner, "test"); }

errc code_of(future<void>& failed) {
    try {
        failed.get();
    } catch (const error& thrown) {
        return thrown.code();
    }
    return errc::invalid_argument;
}

TEST(joinable_task, that_is_ended_unrun_is_not_run_from_its_queue) {
    pool single{1};
    bool ran = false;
    single.run([&] {
        future<void> unrun = single.submit([&] { ran = true; });
        task_of(unrun).end_unrun(errc::stack_exhausted);
        EXPECT_TRUE(unrun.ready());
        EXPECT_EQ(code_of(unrun), errc::stack_exhausted);
    });
    single.stop();
    EXPECT_FALSE(ran);
}

TEST(joinable_task, that_runs_cannot_be_ended_unrun) {
    pool single{1};
    single.run([&] {
        future<void> joined;
        joined = single.submit([&] { task_of(joined).end_unrun(errc::stack_exhausted); });
        joined.wait();
        EXPECT_NO_THROW(joined.get());
    });
}

/// A task of a pool whose workers the test drives.
template <class Made, class Body>
auto& make_task(test::unstarted_pool& workers, Made made, Body body) {
    return *callable_task<Body>::make(task_home{workers.core()}, made, {}, std::move(body));
}

/// Each try gives up before it shares anything if its deadline has passed already.
TEST(joinable_task, that_is_awaited_with_a_deadline_leaves_no_private_children) {
    test::unstarted_pool workers{1};
    auto& awaited = make_task(workers, completion_word::made_for_queue{}, [] {});
    workers.as_worker(0, [&](worker& self) {
        const auto callable = [] { return 1; };
        using job = scoped_job<const decltype(callable)>;
        scoped_child* child = self.scoped.owner_next();
        job::describe(*child, callable);
        self.scoped.owner_push(child);
        for (test::patience left; self.scoped.owner_has_private() && !left.is_over();) {
            EXPECT_FALSE(awaited.wait_until(sync::clock::now() + 1ms, "test"));
        }
        ASSERT_FALSE(self.scoped.owner_pop(child)) << "it is not private any more";
        EXPECT_EQ(job::join_shared(self, *child), 1);
        awaited.run(awaited, self);
    })();
    EXPECT_TRUE(awaited.ready());
    awaited.drop_handle();
}

// What becomes ready on a worker is in its queue, and the worker may be busy for long.

TEST(a_dormant_task, wakes_a_worker_when_it_becomes_ready_on_another) {
    test::unstarted_pool workers{2};
    bool ran = false;
    auto& next = make_task(workers, completion_word::made_dormant{}, [&] { ran = true; });
    const auto become_ready = workers.as_worker(0, [&](worker&) { next.submit_when_ready(); });
    EXPECT_TRUE(test::wakes_sleeper(workers.core(), 1, become_ready));
    EXPECT_FALSE(next.word.is_dormant()) << "workers may wait for it";
    workers.as_worker(1, [&](worker& thief) {
        task* found = workers[0].queues.normal.steal();
        ASSERT_EQ(found, &next);
        found->run(*found, thief);
    })();
    EXPECT_TRUE(ran);
    next.drop_handle();
}

TEST(a_dormant_task, goes_to_its_own_pool_when_a_worker_of_another_makes_it_ready) {
    test::unstarted_pool home{1};
    test::unstarted_pool other{1};
    auto& next = make_task(home, completion_word::made_dormant{}, [] {});
    other.as_worker(0, [&](worker&) { next.submit_when_ready(); })();
    EXPECT_EQ(other[0].queues.normal.count(), 0U);
    EXPECT_FALSE(next.word.is_dormant());
    task* arrived = home.core().arrivals[priority::normal].take_all();
    ASSERT_EQ(arrived, &next);
    home.as_worker(0, [&](worker& self) { arrived->run(*arrived, self); })();
    EXPECT_TRUE(next.ready());
    next.drop_handle();
}

TEST(a_dormant_task, wakes_a_worker_when_it_is_queued_on_another) {
    test::unstarted_pool workers{2};
    auto& next = make_task(workers, completion_word::made_dormant{}, [] {});
    const auto queue = workers.as_worker(
        0, [&](worker&) { EXPECT_TRUE(next.try_queue_dormant(next, priority::low, true)); });
    EXPECT_TRUE(test::wakes_sleeper(workers.core(), 1, queue));
    EXPECT_EQ(workers[0].queues.low.steal(), &next);
    next.end_dormant(errc::not_run, nullptr);
    EXPECT_TRUE(next.ready());
    next.drop_handle();
}

template <class Body>
struct calling_node : completion_node {
    Body body;
    explicit calling_node(Body called) : body{std::move(called)} {
        notify = [](completion_node& self) noexcept { static_cast<calling_node&>(self).body(); };
    }
};

/// The task becomes ready when its pool takes no more work; before it is refused, worker 0 calls
/// `join`. One thread plays both: it refuses the task when it has made all calls for the end of
/// another, and the first of them makes the task ready, the second is the worker's turn.
template <class Join>
void refuse_after(test::unstarted_pool& workers, joinable_task& next, Join join) {
    workers.core().intake.close();
    auto& first = make_task(workers, completion_word::made_dormant{}, [] {});
    calling_node turn{workers.as_worker(0, [&](worker&) { join(); })};
    auto* link = new continuation_link;
    link->continuation = &next;
    ASSERT_TRUE(first.word.try_add(turn)); // what is added last is called first
    ASSERT_TRUE(first.word.try_add(*link));
    first.submit_when_ready();
    first.drop_handle();
}

class a_task_that_is_joined_before_it_is_refused : public testing::Test {
protected:
    test::unstarted_pool workers;
    std::weak_ptr<int> result; // which lives as long as the task

    auto& make() {
        auto made = std::make_shared<int>(7);
        result = made;
        return make_task(workers, completion_word::made_dormant{},
                         [made = std::move(made)]() mutable { return std::move(made); });
    }
    a_task_that_is_joined_before_it_is_refused() : workers{1} {}
};

TEST_F(a_task_that_is_joined_before_it_is_refused, stays_while_its_future_does) {
    auto& next = make();
    refuse_after(workers, next, [&] { next.wait("test"); });
    ASSERT_TRUE(next.ready());
    EXPECT_FALSE(result.expired());
    EXPECT_EQ(*next.take(), 7);
    next.drop_handle();
}

TEST_F(a_task_that_is_joined_before_it_is_refused, is_freed_if_its_future_is_gone) {
    auto& next = make();
    refuse_after(workers, next, [&] {
        next.wait("test");
        next.drop_handle();
        EXPECT_FALSE(result.expired()) << "it is still to be refused";
    });
    EXPECT_TRUE(result.expired());
}

} // namespace
} // namespace weft::inline v0::detail
