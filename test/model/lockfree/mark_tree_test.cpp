#include <weft/detail/lockfree/mark_tree.hpp>

#include "model/lockfree/mark_tree_scenarios.hpp"
#include "support/thorough.hpp"

#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test::tree;

TEST(mark_tree, what_was_set_is_taken_with_what_came_before) {
    test::explore_thoroughly("tree: set and select", what_was_set_is_selected);
}
TEST(mark_tree, one_of_two_setters_is_the_first) {
    test::explore_thoroughly("tree: two set the same", two_set_the_same);
}
TEST(mark_tree, two_setters_lose_no_signal) {
    test::explore_thoroughly("tree: two set in one word", two_set_in_one_word);
}
TEST(mark_tree, a_signal_may_be_set_while_it_is_taken) {
    test::explore_thoroughly("tree: set again while taken", set_again_while_it_is_taken);
}
TEST(mark_tree, the_mark_stays_when_the_last_goes_and_another_comes) {
    test::explore_thoroughly("tree: last goes, another comes", the_last_goes_another_comes);
}
TEST(mark_tree, the_mark_stays_on_every_level) {
    test::explore_thoroughly("tree: last word goes, another comes",
                             the_last_word_goes_another_comes);
}
TEST(mark_tree, two_go_while_one_comes) {
    test::explore_thoroughly("tree: two go, one comes", two_go_one_comes);
}
TEST(mark_tree, nothing_is_marked_after_two_have_gone) {
    test::explore_thoroughly("tree: two go", two_go);
}
TEST(mark_tree, nothing_is_marked_after_coming_and_going) {
    test::explore_thoroughly("tree: come and go twice", comes_and_goes_twice);
}
TEST(mark_tree, a_signal_is_selected_once) {
    test::explore_thoroughly("tree: two select one", two_select_one);
}
TEST(mark_tree, two_threads_select_two_signals) {
    test::explore_thoroughly("tree: two select two", two_select_two);
}
TEST(mark_tree, what_is_due_elsewhere_stays_marked) {
    test::explore_thoroughly("tree: added while withdrawn", added_while_it_is_withdrawn);
}
TEST(mark_tree, two_threads_may_withdraw_one_mark) {
    test::explore_thoroughly("tree: two withdraw, one adds", two_withdraw_and_one_adds);
}
TEST(mark_tree, no_adder_relies_on_an_incomplete_mark) {
    const auto report = explorer::explore("tree: incomplete mark", explorer::options::weak(4, 1),
                                          no_adder_relies_on_an_incomplete_mark);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}
TEST(mark_tree, a_late_mark_is_withdrawn) {
    test::explore_thoroughly("tree: late mark", a_late_mark_is_withdrawn);
    test::explore_thoroughly("tree: late mark beside another",
                             a_late_mark_beside_another_is_withdrawn);
}
TEST(mark_tree, a_mark_passes_on_what_came_before) {
    test::explore_thoroughly("tree: a mark passes on", a_mark_passes_on_what_came_before);
}
TEST(mark_tree, an_empty_tree_shows_what_came_before) {
    test::explore_thoroughly("tree: emptiness passes on", emptiness_passes_on);
}
TEST(mark_tree, a_withdrawn_mark_shows_what_came_before) {
    test::explore_thoroughly("tree: withdrawing passes on", withdrawing_passes_on);
}
TEST(mark_tree, two_withdrawn_marks_show_what_came_before_both) {
    test::explore_thoroughly("tree: withdrawing two passes on", withdrawing_two_passes_on);
}
TEST(mark_tree, emptiness_passes_through_others) {
    test::explore_thoroughly("tree: emptiness passes through another",
                             emptiness_passes_through_another);
}
TEST(mark_tree, what_a_remover_saw_passes_on) {
    test::explore_thoroughly("tree: the answer passes on", the_answer_passes_on);
}
TEST(mark_tree, a_needed_mark_does_not_disturb_others) {
    test::explore_thoroughly("tree: needed while another is set", needed_while_another_is_set);
}
TEST(mark_tree, grows_while_others_use_it) {
    test::explore_thoroughly("tree: grows", grows_while_others_use_it);
}

TEST(mark_tree, a_word_that_empties_does_not_hold_up_a_search) {
    test::explore_thoroughly("tree: a search passes an empty word",
                             a_search_passes_a_word_that_empties);
}

TEST(mark_tree, mark_is_wait_free_and_the_others_are_lock_free) {
    for (const auto& body : {two_go_one_comes, two_set_in_one_word, two_withdraw_and_one_adds,
                             a_search_passes_a_word_that_empties}) {
        const auto report = explorer::explore("tree: a thread is stopped",
                                              explorer::options::weak(1, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

TEST(mark_tree, a_stopped_thread_hides_no_signal) {
    const auto report = explorer::explore("tree: a stopped thread hides no signal",
                                          explorer::options::weak(2, 2).freezing(),
                                          a_stopped_thread_hides_no_signal);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(mark_tree, every_mutant_is_caught) {
    // The smallest first; the largest, which catch nothing more, are left out.
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"tree: a mark passes on", bounds, a_mark_passes_on_what_came_before},
        {"tree: set and select", bounds, what_was_set_is_selected},
        {"tree: needed while another is set", bounds, needed_while_another_is_set},
        {"tree: two set in one word", bounds, two_set_in_one_word},
        {"tree: set again while taken", bounds, set_again_while_it_is_taken},
        {"tree: last goes, another comes", bounds, the_last_goes_another_comes},
        {"tree: last word goes, another comes", bounds, the_last_word_goes_another_comes},
        {"tree: withdrawing two passes on", bounds, withdrawing_two_passes_on},
        {"tree: emptiness passes on", bounds, emptiness_passes_on},
        {"tree: emptiness passes through another", bounds, emptiness_passes_through_another},
        {"tree: grows", bounds, grows_while_others_use_it},
    };
    // The look below in retire_above(), and the withdrawal that passes on what it has seen. A
    // thread that gets there has looked below before, and a fence in between passes that on. A
    // difference would be seen only if the word was filled and emptied by others in between, which
    // takes more threads and more preemptions than these bounds have.
    const std::vector<std::string> unseen{"load: drop_acquire", "fetch_and: drop_release"};
    EXPECT_EQ(test::survivors(scenarios, "lockfree/mark_tree.hpp"), unseen);
}

} // namespace
} // namespace weft
