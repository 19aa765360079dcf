// Threads with a bias, in a real group: a bias decides about the order only, so whatever is due is
// run, and no wake-up is lost.
#include "model/contract/explored_group.hpp"
#include "support/thorough.hpp"

#include <weft/contract.hpp>
#include <weft/explorer.hpp>

#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::check;
using explorer::named;
using explorer::options;
using explorer::together;
using test::explored_group;

selection_bias rightwards() {
    return selection_bias::by_depth([](unsigned) noexcept { return true; }).strict();
}
auto work(explored_group& all, selection_bias bias, int until) {
    return [&all, bias = std::move(bias), until] {
        while (all.done.load(sync::relaxed) < until) all.group.execute_next_or_wait(bias);
    };
}

/// The worker prefers something else, of which there is nothing.
void a_schedule_wakes_a_worker_that_prefers(const selection_bias& bias) {
    explored_group all;
    together(named("worker", work(all, bias, 1)), named("scheduler", [&] { all.schedule(); }));
    check(all.members[0].seen.read() == 1, "what came before is seen");
}
void that_prefers_a_priority() {
    a_schedule_wakes_a_worker_that_prefers(selection_bias::prefer(priority::high).strict());
}
void that_prefers_a_range() {
    a_schedule_wakes_a_worker_that_prefers(selection_bias::prefer(1, 3).strict());
}
void that_goes_by_depth() { a_schedule_wakes_a_worker_that_prefers(rightwards()); }

/// Each is run once, by whichever thread.
void two_workers_with_different_biases() {
    explored_group all{2};
    all.schedule(0);
    all.schedule(1);
    const auto run_all = [&all](selection_bias bias) {
        return [&all, bias = std::move(bias)] {
            while (all.group.try_execute_next(bias)) {
            }
        };
    };
    together(named("by depth", run_all(rightwards())),
             named("by range", run_all(selection_bias::prefer(0, 1).strict())));
    all.group.wait();
    check(all.members[0].runs.read() == 1 && all.members[1].runs.read() == 1, "once each");
}

/// One contract is always due and always preferred; the fair turns run the other.
void the_fair_turns_run_what_is_not_preferred() {
    explored_group all{2};
    all.members[1].work = [&all](contract_token& token, int) {
        if (all.done.load(sync::relaxed) == 0) token.schedule();
    };
    all.schedule(1);
    const selection_bias bias = selection_bias::prefer(1, 2).fair_turn_in(2);
    together(named("worker",
                   [&] {
                       for (int turn = 0; turn < 4; ++turn) all.group.try_execute_next(bias);
                   }),
             named("scheduler", [&] { all.schedule(0); }));
    all.group.wait();
    check(all.members[0].runs.read() == 1, "it ran");
}

void explore(const std::string& name, const std::function<void()>& body) {
    test::explore_within({options::sequential(1), options::weak(1, 1),
                          options::random(test::scaled(2'000, 500'000))},
                         name, body);
}

TEST(contract_bias_model, a_schedule_wakes_a_worker_that_prefers_something_else) {
    explore("bias: prefers a priority", that_prefers_a_priority);
    explore("bias: prefers a range", that_prefers_a_range);
    explore("bias: by depth", that_goes_by_depth);
}
TEST(contract_bias_model, workers_with_different_biases_run_each_contract_once) {
    test::explore_within({options::sequential(1), options::random(test::scaled(2'000, 500'000))},
                         "bias: two workers", two_workers_with_different_biases);
}
TEST(contract_bias_model, the_fair_turns_run_what_is_not_preferred) {
    test::explore_within({options::sequential(1), options::random(test::scaled(2'000, 500'000))},
                         "bias: fair turns", the_fair_turns_run_what_is_not_preferred);
}

} // namespace
} // namespace weft
