#include <weft/detail/pool/worker.hpp>

#include "support/patience.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/fork_join.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace weft::inline v0::detail {
namespace {

template <class Condition>
void spin_until(Condition condition) {
    while (!condition()) std::this_thread::yield();
}

/// The thief has taken the child and not begun it when the owner goes to sleep. Then it needs the
/// owner's help.
TEST(worker, that_waits_for_a_child_that_has_not_begun_is_woken_when_it_begins) {
    test::unstarted_pool workers{2};
    std::atomic<bool> stolen{false};
    std::atomic<bool> helped{false};
    bool came = false;
    const auto need_help = [&] {
        test::patience left;
        while (!helped && !left.is_over()) std::this_thread::yield();
        came = helped;
    };
    std::thread owner{workers.as_worker(0, [&](worker&) {
        fork_join([&] { spin_until([&] { return stolen.load(); }); },
                  [&] { fork_join(need_help, [&] { helped = true; }); });
    })};
    workers.as_worker(1, [&](worker& thief) {
        scoped_child* child = nullptr;
        spin_until([&] { return (child = workers[0].scoped.steal()) != nullptr; });
        stolen = true;
        spin_until([&] { return workers[0].counts.waits.read() == 1; });
        thief.run_stolen(*child, workers[0]);
    })();
    owner.join();
    EXPECT_TRUE(came);
}

TEST(worker, knows_which_tokens_may_stop_what_it_runs) {
    test::unstarted_pool workers{1};
    workers.as_worker(0, [](worker& self) {
        const std::stop_source source;
        const std::stop_token token = source.get_token();
        EXPECT_FALSE(self.runs_task_of(token));
        const worker::running endless{self, nullptr};
        EXPECT_FALSE(self.runs_task_of(token)) << "it cannot be stopped";
        const worker::running stoppable{self, &token};
        EXPECT_TRUE(self.runs_task_of(token));
        EXPECT_FALSE(self.runs_task_of(std::stop_source{}.get_token()));
        const worker::running above{self, nullptr};
        EXPECT_TRUE(self.runs_task_of(token)) << "further down the stack";
    })();
}

} // namespace
} // namespace weft::inline v0::detail
