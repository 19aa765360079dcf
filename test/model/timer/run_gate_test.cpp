#include <weft/detail/timer/run_gate.hpp>

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <string>
#include <vector>

namespace weft::run_gate_test {
namespace {

using explorer::named;
using explorer::together;

/// The data of the callable is touched by runs, and by the thread that has cancelled.
void two_runs_and_a_cancellation() {
    detail::run_gate gate;
    sync::plain<int> data{0};
    bool cancelled = false;
    bool goes_on = true;
    together(named("runner",
                   [&] {
                       for (int run = 0; run < 2 && goes_on; ++run) {
                           if (!gate.try_begin()) return;
                           data.write(run);
                           goes_on = gate.try_end();
                       }
                   }),
             named("canceller", [&] {
                 cancelled = gate.try_cancel();
                 if (cancelled) data.write(-1);
             }));
    explorer::check(cancelled || !goes_on, "what was cancelled in a run does not go on");
    explorer::check(!gate.try_cancel(), "once");
}

void cancelled_by_two() {
    detail::run_gate gate;
    bool first = false;
    bool second = false;
    together(named("one", [&] { first = gate.try_cancel(); }),
             named("other", [&] { second = gate.try_cancel(); }));
    explorer::check(first != second, "one of them");
}

TEST(run_gate, a_callable_runs_or_belongs_to_the_canceller) {
    test::explore_thoroughly("run gate: two runs", two_runs_and_a_cancellation);
}

TEST(run_gate, is_cancelled_once) {
    test::explore_thoroughly("run gate: cancelled by two", cancelled_by_two);
}

TEST(run_gate, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"run gate: two runs", bounds, two_runs_and_a_cancellation},
        {"run gate: cancelled by two", bounds, cancelled_by_two},
    };
    EXPECT_EQ(test::survivors(scenarios, "timer/run_gate.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::run_gate_test
