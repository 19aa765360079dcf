// Threads that stop, and orders that are too weak.
#include "model/resource/scenarios.hpp"
#include "support/exploring.hpp"
#include "support/thorough.hpp"

#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test;

explorer::options freezing() { return explorer::options::weak(1, 1).freezing(); }

void expect_unstopped(const std::string& name, const std::function<void()>& body) {
    test::explore_within({freezing()}, name, body);
}

/// Submits and does not leave before its own task has run.
void submit_and_await(user& one, const sync::atomic<int>& runs) {
    auto* own = sync::make<detail::lane>();
    one.submit(*own);
    user::work();
    while (runs.load(sync::relaxed) == 0) explorer::yield();
    if (own->abandon()) sync::destroy(own);
}

/// One task has no resource in common with the task whose thread stops, nor with any behind it.
void unrelated_to_a_stopped_task() {
    all_ended all;
    std::array<watched, 3> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& behind = user::make(2, {alone(some[1])});
    user& unrelated = user::make(3, {alone(some[2])});
    sync::atomic<int> runs{0};
    unrelated.counted_by(runs);
    together(named("one", [&] { submit_and_work(first); }),
             named("behind", [&] { submit_and_work(behind); }),
             named("unrelated", [&] { submit_and_await(unrelated, runs); }));
    all.check(3, some[0], some[1], some[2]);
}

/// A task that entered the queue before another thread stops there is not held up.
void before_a_stopped_task() {
    all_ended all;
    std::array<watched, 2> some;
    user& before = user::make(1, {alone(some[0]), writing(some[1])});
    user& after = user::make(2, {alone(some[0]), reading(some[1])});
    sync::atomic<int> runs{0};
    before.counted_by(runs);
    auto* own = sync::make<detail::lane>();
    before.submit(*own);
    user* ready = user::take_ready();
    together(named("before",
                   [&] {
                       ready->use();
                       ready->leave();
                       user::work();
                       explorer::check(runs.load(sync::relaxed) == 1, "it has run");
                   }),
             named("after", [&] { submit_and_work(after); }));
    if (own->abandon()) sync::destroy(own);
    all.check(2, some[0], some[1]);
}

/// A task behind it waits: so the tests above would notice a task that waits.
void behind_a_stopped_task() {
    all_ended all;
    watched a;
    user& first = user::make(1, {alone(a)});
    user& behind = user::make(2, {alone(a)});
    sync::atomic<int> runs{0};
    behind.counted_by(runs);
    together(named("one", [&] { submit_and_work(first); }),
             named("behind", [&] { submit_and_await(behind, runs); }));
    all.check(2, a);
}

} // namespace

TEST(resource_stopped, no_call_waits) {
    expect_unstopped("resource: stopped, three for one", three_for_one);
    expect_unstopped("resource: stopped, two for two", two_for_two);
    expect_unstopped("resource: stopped, three in a circle", three_in_a_circle);
    expect_unstopped("resource: stopped, readers and writer", readers_and_writer);
    expect_unstopped("resource: stopped, crosswise", crosswise);
    expect_unstopped("resource: stopped, weights", weights);
    expect_unstopped("resource: stopped, in order", submitted_in_order);
    expect_unstopped("resource: stopped, cancelled", cancelled_in_the_queue);
}
TEST(resource_stopped, unrelated_tasks_do_not_wait) {
    expect_unstopped("resource: stopped, unrelated", unrelated_to_a_stopped_task);
}
TEST(resource_stopped, earlier_tasks_do_not_wait) {
    expect_unstopped("resource: stopped, before", before_a_stopped_task);
}
TEST(resource_stopped, later_tasks_wait) {
    EXPECT_TRUE(test::fails_with(explorer::failure_kind::blocked_by_frozen, freezing(),
                                 behind_a_stopped_task));
}

TEST(resource_ticket, every_mutant_is_caught) {
    // Those that catch something, the smallest first.
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"resource: reader and writer", bounds, reader_and_writer},
        {"resource: submitted in order", bounds, submitted_in_order},
        {"resource: two for one", explorer::options::weak(4, 2), two_for_one},
        {"resource: two for two", explorer::options::weak(3, 2), two_for_two},
        {"resource: three for one", bounds, three_for_one},
        {"resource: three in order", explorer::options::weak(3, 1), three_in_order},
    };
    // In the model, a ticket that enters a queue behind another sees that one without this order,
    // since what comes later in time is later in the queue there; by the rules of the language the
    // order is needed (S1).
    EXPECT_EQ(test::survivors(scenarios, "resource/resource_queue.hpp"),
              std::vector<std::string>{"fetch_add: drop_release"});
    EXPECT_EQ(test::survivors(scenarios, "resource/ticket.cpp"), std::vector<std::string>{});
    EXPECT_EQ(test::survivors(scenarios, "resource/lane.hpp"), std::vector<std::string>{});
}

} // namespace weft
