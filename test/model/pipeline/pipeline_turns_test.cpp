#include "support/thorough.hpp"

#include <weft/detail/pipeline/pipeline_turns.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>

namespace weft {
namespace {

using detail::pipeline_turns;
using explorer::named;
using explorer::together;

/// Two lines that come to one part twice, each on a thread of its own until it waits; then it is
/// taken along by the other.
struct two_lines {
    pipeline_turns turns{2, false};
    std::array<sync::plain<int>, 2> rounds; // of each line: what it carries
    sync::plain<int> visits{0};
    sync::plain<int> sum{0};

    /// The line is at the part, and this thread's.
    void run(std::size_t line, bool has_turn) {
        while (rounds[line].read() < 2) {
            if (!has_turn && !turns.arrive(line)) return;
            has_turn = false;
            explorer::check(visits.read() % 2 == static_cast<int>(line), "they take turns");
            visits.write(visits.read() + 1);
            sum.write(sum.read() + rounds[line].read());
            rounds[line].write(rounds[line].read() + 1);
            if (turns.pass(line)) run(turns.after(line), true);
        }
    }
};

void lines_take_turns() {
    two_lines all;
    together(named("first", [&] { all.run(0, false); }),
             named("second", [&] { all.run(1, false); }));
    explorer::check(all.visits.read() == 4, "each comes as often as the other");
    explorer::check(all.sum.read() == 2, "what a line carries comes along");
}

/// A line that waits from the beginning.
void a_waiting_line_is_taken_along() {
    pipeline_turns turns{2, true};
    explorer::check(turns.arrive(0), "line 0 has the first turn");
    explorer::check(turns.pass(0), "line 1 waits");
    explorer::check(!turns.pass(1), "line 0 is away");
    explorer::check(turns.arrive(0), "it has its turn");
}

TEST(pipeline_turns, lines_take_turns_and_none_is_left) {
    test::explore_thoroughly("turns: two lines", lines_take_turns);
}

TEST(pipeline_turns, lines_may_wait_from_the_beginning) {
    test::explore_thoroughly("turns: all wait", a_waiting_line_is_taken_along);
}

TEST(pipeline_turns, every_mutant_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"turns: two lines", explorer::options::weak(2, 2), lines_take_turns},
    };
    EXPECT_EQ(test::survivors(scenarios, "pipeline_turns.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
