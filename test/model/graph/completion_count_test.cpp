#include "graph/completion_count.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>

#include <array>

namespace weft {
namespace {

using detail::activity_count;
using detail::completion_count;
using detail::spare_slots;
using explorer::named;
using explorer::together;

/// A node, and predecessors that each leave something for it.
struct joined_node {
    static constexpr std::uint32_t predecessors = 2;
    completion_count missing{predecessors};
    std::array<sync::plain<int>, predecessors> left{};
    sync::plain<int> sum{0};
    sync::plain<int> runs{0};

    void end(std::size_t predecessor) {
        ++left[predecessor].modify();
        if (!missing.arrive(false)) return;
        missing.arm(predecessors);
        sum.write(left[0].read() + left[1].read()); // the node runs
        ++runs.modify();
    }
};

/// The last predecessor runs the node once, and has seen what the other did (GR1).
void the_last_runs_it() {
    joined_node node;
    together(named("one", [&] { node.end(0); }), named("other", [&] { node.end(1); }));
    explorer::check(node.runs.read() == 1, "it runs once");
    explorer::check(node.sum.read() == 2, "what came before each arrival is seen");
}

/// Several predecessors end on one thread, which counts them together (GR1).
void several_arrive_together() {
    completion_count missing{3};
    std::array<sync::plain<int>, 2> left{};
    sync::plain<int> runs{0};
    const auto end = [&](std::size_t which, std::uint32_t ended) {
        left[which].write(1);
        if (!missing.arrive(false, ended)) return;
        missing.arm(3);
        runs.write(runs.read() + left[0].read() + left[1].read());
    };
    for (int run = 1; run <= 2; ++run) {
        together(named("two", [&] { end(0, 2); }), named("one", [&] { end(1, 1); }));
        explorer::check(runs.read() == 2 * run, "the last begins it, once, and sees the others");
    }
}

/// A second run begins when the first has ended, with what that has armed (GR2).
void it_counts_again() {
    joined_node node;
    for (int run = 1; run <= 2; ++run) {
        together(named("one", [&] { node.end(0); }), named("other", [&] { node.end(1); }));
        explorer::check(node.runs.read() == run, "it runs once in each run");
    }
    explorer::check(node.sum.read() == 4, "what came before each arrival is seen");
}

/// The run goes on to the next one on the thread that ends it, while the other thread is still on
/// its way out of its arrival: it must not touch the count again.
void the_next_run_overtakes_a_slow_arrival() {
    completion_count missing{2};
    sync::plain<int> ended{0};
    const auto end = [&] {
        if (!missing.arrive(false)) return;
        missing.arm(2);
        ++ended.modify();
        explorer::check(!missing.arrive(false), "the count is as at first");
        explorer::check(missing.arrive(false), "the count is as at first");
    };
    together(named("one", end), named("other", end));
    explorer::check(ended.read() == 1, "the run ends once");
}

/// Two threads of control end in a part; the last decides, and a third enters the part again if it
/// finds it left (PT1, PT2).
void the_last_in_a_part_decides() {
    activity_count part;
    part.begin(2);
    std::array<sync::plain<int>, 2> done{};
    sync::plain<int> decided{0};
    const auto end = [&](std::size_t which) {
        done[which].write(1);
        if (!part.is_last()) return;
        decided.write(decided.read() + done[0].read() + done[1].read());
        part.leave();
    };
    together(named("one", [&] { end(0); }), named("other", [&] { end(1); }), named("third", [&] {
                 if (!part.try_enter()) return;
                 explorer::check(decided.read() == 2, "a part is entered after it was left");
                 decided.write(7);
                 explorer::check(part.is_last(), "then it has one thread of control");
                 part.leave();
             }));
    explorer::check(decided.read() == 2 || decided.read() == 7, "one decides");
}

/// A thread of control adds another, which ends first or last.
void one_becomes_two() {
    activity_count part;
    part.begin(2);
    sync::plain<int> decided{0};
    std::array<sync::plain<int>, 2> done{};
    const auto end = [&](std::size_t which) {
        part.add(1);
        static_cast<void>(part.is_last()); // the added one ends: it is not the last
        done[which].write(1);
        if (part.is_last()) decided.write(decided.read() + done[0].read() + done[1].read());
    };
    together(named("one", [&] { end(0); }), named("other", [&] { end(1); }));
    explorer::check(decided.read() == 2, "the last decides, once");
}

/// Two branches choose nodes of one part: one of them enters it (PT1).
void one_of_two_enters() {
    activity_count part;
    sync::plain<int> inside{0};
    const auto enter = [&] {
        if (!part.try_enter()) return;
        ++inside.modify();
        explorer::check(part.is_alone(), "it has one thread of control");
        explorer::check(part.is_last(), "it has one thread of control");
        part.leave();
    };
    together(named("one", enter), named("other", enter));
    explorer::check(inside.read() >= 1, "one enters");
}

/// Two runs begin at once: one of them has the spare.
void one_of_two_takes_it() {
    spare_slots<sync::plain<int>, 1> slots;
    sync::plain<int> spare{0};
    explorer::check(slots.try_give(spare), "there is room");
    const auto take = [&] {
        if (sync::plain<int>* taken = slots.try_take()) ++taken->modify();
    };
    together(named("one", take), named("other", take));
    explorer::check(spare.read() == 1, "it is taken once");
}

/// The last thread of control may look first: it sees what the other did before it left.
void the_last_looks_whether_it_is_alone() {
    activity_count part;
    part.begin(2);
    sync::plain<int> done{0};
    together(named("leaves",
                   [&] {
                       done.write(1);
                       if (part.is_last()) done.write(2);
                   }),
             named("looks", [&] {
                 if (part.is_alone()) {
                     explorer::check(done.read() == 1, "what came before the end is seen");
                 } else {
                     static_cast<void>(part.is_last());
                 }
             }));
}

/// What was given is taken by one of those that want it, with its content (SP1).
void a_spare_is_taken_once() {
    struct spare {
        sync::plain<int> content{0};
        sync::plain<bool> refused{false};
    };
    spare_slots<spare, 1> slots;
    std::array<spare, 2> all{};
    sync::plain<int> taken{0};
    const auto give = [&](spare& each) {
        each.content.write(1);
        if (!slots.try_give(each)) each.refused.write(true);
    };
    const auto take = [&] {
        spare* each = slots.try_take();
        if (each == nullptr) return false;
        explorer::check(each->content.read() == 1, "it comes with its content");
        each->content.write(2);
        ++taken.modify();
        return true;
    };
    together(named("one", [&] { give(all[0]); }), named("other", [&] { give(all[1]); }),
             named("taker", [&] { static_cast<void>(take()); }));
    while (take()) {
    }
    const int refused = (all[0].refused.read() ? 1 : 0) + (all[1].refused.read() ? 1 : 0);
    explorer::check(taken.read() + refused == 2, "nothing is lost, and nothing taken twice");
}

TEST(completion_count, the_last_predecessor_runs_the_node) {
    test::explore_thoroughly("completion_count: the last runs it", the_last_runs_it);
    test::explore_thoroughly("completion_count: several together", several_arrive_together);
}

TEST(completion_count, a_second_run_needs_no_reset) {
    test::explore_thoroughly("completion_count: counts again", it_counts_again);
}

TEST(completion_count, the_next_run_may_begin_while_an_arrival_returns) {
    test::explore_thoroughly("completion_count: overtaken", the_next_run_overtakes_a_slow_arrival);
}

TEST(completion_count, the_last_thread_of_control_decides_what_comes_next) {
    test::explore_thoroughly("activity_count: the last decides", the_last_in_a_part_decides);
    test::explore_thoroughly("activity_count: one becomes two", one_becomes_two);
    test::explore_thoroughly("activity_count: one of two enters", one_of_two_enters);
    test::explore_thoroughly("activity_count: looks", the_last_looks_whether_it_is_alone);
}

TEST(completion_count, a_spare_is_taken_once_with_its_content) {
    test::explore_thoroughly("spare_slots: taken once", a_spare_is_taken_once);
    test::explore_thoroughly("spare_slots: one of two takes it", one_of_two_takes_it);
}

TEST(completion_count, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"completion_count: the last runs it", bounds, the_last_runs_it},
        {"completion_count: several together", bounds, several_arrive_together},
        {"activity_count: the last decides", bounds, the_last_in_a_part_decides},
        {"activity_count: one becomes two", bounds, one_becomes_two},
        {"activity_count: one of two enters", bounds, one_of_two_enters},
        {"activity_count: looks", bounds, the_last_looks_whether_it_is_alone},
        {"spare_slots: taken once", bounds, a_spare_is_taken_once},
        {"spare_slots: one of two takes it", bounds, one_of_two_takes_it},
    };
    EXPECT_EQ(test::survivors(scenarios, "completion_count.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
