#include "pool/thread_stacks.hpp"

#include "support/unstarted_pool.hpp"

#include <weft/detail/sync/model_constants.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace weft::detail {
namespace {

/// Calls a function with its worker.
struct calling_task : task {
    std::function<void(worker&)> body;
    explicit calling_task(std::function<void(worker&)> called)
        : task{&call}, body{std::move(called)} {}
    static void call(task& self, worker& runner) noexcept {
        static_cast<calling_task&>(self).body(runner);
    }
};

/// A wait that has ended when the test says so.
struct test_wait final : stack_wait {
    using stack_wait::stack_wait;
    bool is_over = false;
    int announcements = 0;
    [[nodiscard]] bool ended() const noexcept override { return is_over; }
    [[nodiscard]] bool announce_sleep() noexcept override {
        ++announcements;
        return !is_over;
    }
};

/// The thread of the test is the first worker of a pool.
class stacks_of_a_thread : public testing::Test {
protected:
    void as_host(const std::function<void(worker&, thread_stacks&)>& body) {
        pool.as_worker(0, [&](worker& host) { body(host, *host.stacks); })();
    }
    std::string log;
    test::unstarted_pool pool{2};
};

TEST_F(stacks_of_a_thread, run_a_task_as_a_worker_of_its_own) {
    as_host([&](worker& host, thread_stacks& stacks) {
        calling_task made{[&](worker& side) {
            EXPECT_EQ(&side, worker::current());
            EXPECT_NE(&side, &host);
            EXPECT_TRUE(stacks.any_active());
            EXPECT_EQ(&pool.core().worker_at(side.index()), &side);
            EXPECT_FALSE(side.stack_is_low());
        }};
        for (int times = 0; times < 3; ++times) {
            ASSERT_TRUE(stacks.try_prepare());
            test_wait wait{host};
            stacks.run_aside(wait, made);
            EXPECT_EQ(&host, worker::current());
            EXPECT_FALSE(stacks.any_active());
        }
    });
}

/// The wait below goes on when it has ended; the one above when it has, in the end.
TEST_F(stacks_of_a_thread, go_on_with_what_has_ended_in_any_order) {
    as_host([&](worker& host, thread_stacks& stacks) {
        test_wait below{host};
        test_wait* above = nullptr;
        calling_task made{[&](worker& side) {
            test_wait own{side};
            above = &own;
            log += "a";
            EXPECT_FALSE(stacks.try_continue(own)) << "none has ended";
            EXPECT_TRUE(stacks.announce_sleep());
            EXPECT_EQ(below.announcements, 1) << "whichever ends, the thread is woken";
            below.is_over = true;
            EXPECT_FALSE(stacks.announce_sleep());
            EXPECT_TRUE(stacks.try_continue(own)); // leaves this stack
            log += "c";
        }};
        ASSERT_TRUE(stacks.try_prepare());
        stacks.run_aside(below, made);
        log += "b";
        EXPECT_TRUE(stacks.any_active());
        above->is_over = true;
        stacks.settle();
        log += "d";
        EXPECT_FALSE(stacks.any_active());
    });
    EXPECT_EQ(log, "abcd");
}

TEST_F(stacks_of_a_thread, are_limited) {
    as_host([&](worker& host, thread_stacks& stacks) {
        std::size_t used = 0;
        std::function<void(worker&)> nest;
        calling_task made{[&](worker& side) { nest(side); }};
        nest = [&](worker& self) {
            if (!stacks.try_prepare()) return;
            ++used;
            test_wait wait{self};
            stacks.run_aside(wait, made);
        };
        nest(host);
        EXPECT_EQ(used, constants::side_stacks);
        EXPECT_FALSE(stacks.any_active());
        nest(host);
        EXPECT_EQ(used, 2 * constants::side_stacks) << "they are used again";
    });
}

TEST_F(stacks_of_a_thread, leave_tasks_to_the_host) {
    calling_task later{[](worker&) {}};
    calling_task low{[](worker&) {}};
    as_host([&](worker& host, thread_stacks& stacks) {
        calling_task made{[&](worker& side) {
            side.push(later);
            side.keep(low, priority::low);
            EXPECT_NE(stacks.find_active([](worker& each) { return each.queues.normal.count(); }),
                      nullptr);
        }};
        ASSERT_TRUE(stacks.try_prepare());
        test_wait wait{host};
        stacks.run_aside(wait, made);
        EXPECT_EQ(host.queues.normal.count(), 0U) << "while the host is in a task";
        EXPECT_NE(stacks.find_active([](worker& each) { return each.queues.normal.count(); }),
                  nullptr);
        stacks.settle();
        EXPECT_EQ(stacks.find_active([](worker&) { return true; }), nullptr);
        EXPECT_EQ(host.queues.normal.owner_pop(), &later);
        EXPECT_EQ(host.queues.low.owner_pop(), &low);
    });
}

} // namespace
} // namespace weft::detail
