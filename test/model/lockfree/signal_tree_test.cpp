// The public tree of signals, as it ships.
#include <weft/signal_tree.hpp>

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::check;
using explorer::named;
using explorer::together;

constexpr std::size_t one_word = 64;
constexpr std::size_t two_words = 128;

selection_bias rightwards() {
    return selection_bias::by_depth([](unsigned) noexcept { return true; }).strict();
}
std::size_t await(signal_tree& tree, const selection_bias& bias) {
    signal_cursor cursor;
    for (;;) {
        if (const auto found = tree.select(cursor, bias)) return *found;
        sync::yield();
    }
}
/// Takes all that is left; it must be so many.
void check_left(signal_tree& tree, std::size_t count) {
    signal_cursor cursor;
    std::size_t found = 0;
    while (tree.select(cursor)) ++found;
    check(found == count, "what was set and not taken is left, and nothing else");
    check(tree.empty(), "nothing is marked above what is empty");
}

void what_was_set_is_selected_by(const selection_bias& bias) {
    signal_tree tree{two_words};
    sync::plain<int> letter{0};
    together(named("setter",
                   [&] {
                       letter.write(1);
                       check(tree.set(70), "it was not set");
                   }),
             named("selector", [&] {
                 check(await(tree, bias) == 70, "it is the one that was set");
                 check(letter.read() == 1, "what came before is seen");
             }));
    check_left(tree, 0);
}
void what_was_set_is_selected() { what_was_set_is_selected_by({}); }
void what_was_set_is_selected_by_depth() { what_was_set_is_selected_by(rightwards()); }
void what_was_set_is_selected_outside_the_range() {
    what_was_set_is_selected_by(selection_bias::prefer(3, 60).strict());
}

/// Another signal keeps the marks: it is the word that passes on what came before.
void what_was_set_beside_another_is_taken() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.set(0);
    together(named("setter",
                   [&] {
                       letter.write(1);
                       tree.set(5);
                   }),
             named("taker", [&] {
                 if (tree.reset(5)) check(letter.read() == 1, "what came before is seen");
             }));
}

/// Both set the same signal: the one that comes second does not rely on marks that the first has
/// not made yet.
void two_set_the_same() {
    signal_tree tree{one_word};
    int news = 0;
    const auto set = [&] {
        news += tree.set(3) ? 1 : 0;
        check(!tree.empty(), "it is found, whatever the other does");
    };
    together(named("setter", set), named("other setter", set));
    check(news == 1, "one of them was the first");
    check_left(tree, 1);
}

void set_again_while_it_is_taken() {
    signal_tree tree{one_word};
    tree.set(3);
    bool was_new = false;
    together(named("setter", [&] { was_new = tree.set(3); }), named("taker", [&] {
                 signal_cursor cursor;
                 check(tree.select(cursor, rightwards()) == 3, "it was there");
             }));
    check_left(tree, was_new ? 1 : 0);
}

/// The last of a word goes while another comes there.
void the_last_goes_another_comes() {
    signal_tree tree{one_word};
    tree.set(0);
    together(named("taker", [&] { check(tree.reset(0), "it was there"); }),
             named("setter", [&] { tree.set(1); }));
    check_left(tree, 1);
}

/// Threads with different biases: each signal goes to one.
void two_select_two() {
    signal_tree tree{two_words};
    tree.set(7);
    tree.set(100);
    std::optional<std::size_t> one;
    std::optional<std::size_t> other;
    together(named("fair",
                   [&] {
                       signal_cursor cursor;
                       one = tree.select(cursor);
                   }),
             named("by depth", [&] {
                 signal_cursor cursor;
                 other = tree.select(cursor, rightwards());
             }));
    check(one && other && *one + *other == 107, "there is one for each");
    check_left(tree, 0);
}

/// The path leads to a word that empties: what stays is found all the same.
void the_path_leads_to_a_word_that_empties() {
    signal_tree tree{two_words};
    tree.set(7);
    tree.set(100);
    together(named("taker", [&] { tree.reset(100); }), named("by depth", [&] {
                 signal_cursor cursor;
                 check(tree.select(cursor, rightwards()).has_value(), "one is there all the time");
             }));
}

/// A thread that sees the tree empty sees what came before every selection.
void emptiness_passes_on() {
    signal_tree tree{one_word};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    tree.set(0);
    tree.set(1);
    const auto take = [&tree](std::size_t signal, sync::plain<int>& what) {
        return [&tree, &what, signal] {
            what.write(1);
            tree.reset(signal);
        };
    };
    together(named("taker", take(0, first)), named("other taker", take(1, second)),
             named("observer", [&] {
                 if (!tree.empty()) return;
                 check(first.read() + second.read() == 2, "what came before both is seen");
             }));
}
/// The mark is withdrawn by a thread other than the one that took the signal.
void emptiness_passes_through_another() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.set(0);
    together(named("taker",
                   [&] {
                       letter.write(1);
                       tree.reset(0);
                   }),
             named("selector",
                   [&] {
                       signal_cursor cursor;
                       cursor.next = 1; // it does not take the signal itself unless it is late
                       if (tree.is_set(0)) return;
                       static_cast<void>(tree.select(cursor));
                   }),
             named("observer", [&] {
                 if (tree.empty()) check(letter.read() == 1, "what came before is seen");
             }));
}

/// With one of the two stopped anywhere, the other finds what it has set itself.
void a_stopped_thread_hides_no_signal() {
    signal_tree tree{one_word};
    tree.set(0);
    together(named("taker", [&] { tree.reset(0); }), named("setter", [&] {
                 tree.set(1);
                 signal_cursor cursor;
                 check(tree.select(cursor, rightwards()).has_value(), "it is found at once");
             }));
}

TEST(public_signal_tree, what_was_set_is_selected_with_what_came_before) {
    test::explore_thoroughly("signals: set and select", what_was_set_is_selected);
    test::explore_thoroughly("signals: by depth", what_was_set_is_selected_by_depth);
    test::explore_thoroughly("signals: outside the range",
                             what_was_set_is_selected_outside_the_range);
}
TEST(public_signal_tree, a_signal_passes_on_what_came_before_where_others_are_set) {
    test::explore_thoroughly("signals: beside another", what_was_set_beside_another_is_taken);
}
TEST(public_signal_tree, one_of_two_setters_is_the_first) {
    test::explore_thoroughly("signals: two set the same", two_set_the_same);
}
TEST(public_signal_tree, a_signal_may_be_set_while_it_is_taken) {
    test::explore_thoroughly("signals: set again", set_again_while_it_is_taken);
}
TEST(public_signal_tree, a_signal_that_comes_while_the_last_goes_is_found) {
    test::explore_thoroughly("signals: last goes, another comes", the_last_goes_another_comes);
}
TEST(public_signal_tree, threads_with_different_biases_take_different_signals) {
    test::explore_thoroughly("signals: two select two", two_select_two);
}
TEST(public_signal_tree, a_path_goes_round_what_is_empty) {
    test::explore_thoroughly("signals: the path empties", the_path_leads_to_a_word_that_empties);
}
TEST(public_signal_tree, an_empty_tree_shows_what_came_before) {
    test::explore_thoroughly("signals: emptiness passes on", emptiness_passes_on);
    test::explore_thoroughly("signals: emptiness passes through another",
                             emptiness_passes_through_another);
}
TEST(public_signal_tree, a_stopped_thread_hides_no_signal) {
    for (const auto& body : {a_stopped_thread_hides_no_signal, two_set_the_same,
                             the_path_leads_to_a_word_that_empties}) {
        const auto report = explorer::explore("signals: a thread is stopped",
                                              explorer::options::weak(2, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

TEST(public_signal_tree, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"signals: set and select", bounds, what_was_set_is_selected},
        {"signals: beside another", bounds, what_was_set_beside_another_is_taken},
        {"signals: last goes, another comes", bounds, the_last_goes_another_comes},
        {"signals: set again", bounds, set_again_while_it_is_taken},
        {"signals: two set the same", bounds, two_set_the_same},
        {"signals: emptiness passes on", bounds, emptiness_passes_on},
        {"signals: emptiness passes through another", bounds, emptiness_passes_through_another},
    };
    // The look at the word in retire(), where it was seen empty before a fence: a difference would
    // be seen only if others set and took a signal in between.
    EXPECT_EQ(test::survivors(scenarios, "lockfree/signal_tree.cpp"),
              std::vector<std::string>{"load: drop_acquire"});
}

} // namespace
} // namespace weft
