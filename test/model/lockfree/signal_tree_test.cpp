#include "lockfree/signal_tree.hpp"

#include "support/thorough.hpp"
#include "sync/plain.hpp"
#include "sync/thread.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {
namespace {

using detail::selection_bias;
using detail::signal_tree;
using explorer::named;
using explorer::together;

std::optional<std::size_t> select_from(signal_tree& tree, std::size_t start = 0) {
    selection_bias bias = selection_bias::fair(start);
    return tree.select(bias);
}

/// Until one is selected.
std::size_t await(signal_tree& tree) {
    for (;;) {
        if (const auto found = select_from(tree)) return *found;
        sync::yield();
    }
}

/// Exactly these are left, and nothing else is marked.
void check_left(signal_tree& tree, std::initializer_list<std::size_t> left) {
    for (const std::size_t each : left) {
        explorer::check(!tree.empty(), "something is left");
        explorer::check(select_from(tree) == each, "what was set and not taken is found");
    }
    explorer::check(!select_from(tree).has_value(), "no more is found");
    explorer::check(tree.empty(), "nothing is marked above what is empty");
}

constexpr std::size_t one_word = 32;
constexpr std::size_t two_words = 64;

void what_was_set_is_selected() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    together(named("setter",
                   [&] {
                       letter.write(1);
                       explorer::check(tree.set(5), "it was not set");
                   }),
             named("selector", [&] {
                 explorer::check(await(tree) == 5, "it is the one that was set");
                 explorer::check(letter.read() == 1, "what came before is there");
             }));
    check_left(tree, {});
}

void two_set_the_same() {
    signal_tree tree{one_word};
    int news = 0;
    const auto set = [&] { news += tree.set(3) ? 1 : 0; };
    together(named("setter", set), named("other setter", set));
    explorer::check(news == 1, "one of them was the first");
    check_left(tree, {3});
}

void two_set_in_one_word() {
    signal_tree tree{one_word};
    together(named("setter", [&] { tree.set(1); }), named("other setter", [&] { tree.set(2); }));
    check_left(tree, {1, 2});
}

void set_again_while_it_is_taken() {
    signal_tree tree{one_word};
    tree.set(3);
    bool was_new = false;
    int taken = 0;
    together(named("setter", [&] { was_new = tree.set(3); }),
             named("taker", [&] { taken += tree.take(3) ? 1 : 0; }));
    explorer::check(taken == 1, "it was there");
    if (was_new) check_left(tree, {3});
    else check_left(tree, {});
}

/// The last of a word goes while another comes: the mark above must stay, or come again.
void the_last_goes_another_comes() {
    signal_tree tree{one_word};
    tree.set(0);
    together(named("taker", [&] { explorer::check(tree.take(0), "it was there"); }),
             named("setter", [&] { tree.set(1); }));
    check_left(tree, {1});
}

/// The same one level higher.
void the_last_word_goes_another_comes() {
    signal_tree tree{two_words};
    tree.set(0);
    together(named("taker", [&] { explorer::check(tree.take(0), "it was there"); }),
             named("setter", [&] { tree.set(40); }));
    check_left(tree, {40});
}

void two_go_one_comes() {
    signal_tree tree{one_word};
    tree.set(0);
    tree.set(1);
    together(named("taker", [&] { tree.take(0); }), named("other taker", [&] { tree.take(1); }),
             named("setter", [&] { tree.set(2); }));
    check_left(tree, {2});
}

void two_go() {
    signal_tree tree{two_words};
    tree.set(0);
    tree.set(40);
    together(named("taker", [&] { tree.take(0); }), named("other taker", [&] { tree.take(40); }));
    check_left(tree, {});
}

void comes_and_goes_twice() {
    signal_tree tree{one_word};
    const auto come_and_go = [&tree](std::size_t signal) {
        return [&tree, signal] {
            tree.set(signal);
            explorer::check(tree.take(signal), "nobody else takes it");
        };
    };
    together(named("one", come_and_go(0)), named("other", come_and_go(1)));
    check_left(tree, {});
}

void two_select_one() {
    signal_tree tree{one_word};
    tree.set(7);
    int found = 0;
    const auto select = [&] { found += select_from(tree) ? 1 : 0; };
    together(named("selector", select), named("other selector", select));
    explorer::check(found == 1, "one of them has it");
    check_left(tree, {});
}

void two_select_two() {
    signal_tree tree{one_word};
    tree.set(7);
    tree.set(8);
    std::array<std::size_t, 2> found{};
    together(named("selector", [&] { found[0] = select_from(tree).value_or(0); }),
             named("other selector", [&] { found[1] = select_from(tree).value_or(0); }));
    explorer::check(found[0] + found[1] == 15, "there is one for each");
    check_left(tree, {});
}

/// A signal that points to something elsewhere: as contracts use it.
struct pointer {
    signal_tree tree{one_word};
    sync::atomic<int> due{0};

    void add() {
        due.fetch_add(1, sync::release);
        tree.mark(4);
    }
    bool needed() const { return due.load(sync::acquire) != 0; }
    void remove_all() {
        if (due.exchange(0, sync::acq_rel) == 0) return;
        tree.retire(4, [this] { return needed(); });
    }
    void check() {
        explorer::check(!needed() || tree.find(0, one_word) == 4, "what is due is marked");
        tree.retire(4, [this] { return needed(); });
        static_cast<void>(tree.find(0, one_word));
        explorer::check(needed() || tree.empty(), "nothing is marked where nothing is due");
    }
};

void added_while_it_is_withdrawn() {
    pointer to;
    to.add();
    together(named("adder", [&] { to.add(); }), named("remover", [&] { to.remove_all(); }));
    to.check();
}

void two_withdraw_and_one_adds() {
    pointer to;
    to.add();
    together(named("adder", [&] { to.add(); }), named("remover", [&] { to.remove_all(); }),
             named("other remover", [&] { to.tree.retire(4, [&] { return to.needed(); }); }));
    to.check();
}

/// Both add to what one mark points to. The first to mark the word may be stopped before it has marked
/// the root: then the other one has, or has seen that it is marked, whoever withdraws marks meanwhile.
void nobody_relies_on_a_mark_that_is_not_complete() {
    signal_tree tree{one_word};
    std::array<sync::atomic<bool>, 2> due{};
    sync::atomic<bool> added{false};
    const auto needed = [&due] { return due[0].load(sync::acquire) || due[1].load(sync::acquire); };
    tree.mark(4);
    together(named("adder",
                   [&] {
                       due[0].store(true, sync::release);
                       tree.mark(4);
                       added.store(true, sync::release);
                   }),
             named("other adder",
                   [&] {
                       due[1].store(true, sync::release);
                       tree.mark(4);
                   }),
             named("remover", [&] {
                 tree.retire(4, needed);
                 if (added.load(sync::acquire)) explorer::check(!tree.empty(), "it is marked");
             }));
}

/// Who marks is stopped between the word and what is above it, and the signal is taken meanwhile: the
/// mark above comes late, at the first place of its word. Who finds nothing withdraws it.
void a_late_mark_is_withdrawn() {
    signal_tree tree{2 * one_word};
    together(named("setter", [&] { tree.set(0); }), named("taker", [&] { tree.take(0); }));
    tree.take(0);
    explorer::check(tree.find(0, signal_tree::none) == signal_tree::none, "nothing is found");
    explorer::check(tree.empty(), "nothing is marked");
}

/// The same where another signal keeps the segment marked meanwhile.
void a_late_mark_beside_another_is_withdrawn() {
    signal_tree tree{2 * one_word};
    sync::atomic<bool> due{false};
    const auto needed = [&due] { return due.load(sync::acquire); };
    tree.mark(one_word);
    together(named("adder",
                   [&] {
                       due.store(true, sync::release);
                       tree.mark(0);
                   }),
             named("remover", [&] {
                 if (tree.find(0, 1) != 0) return;
                 due.store(false, sync::release);
                 tree.retire(0, needed);
             }));
    for (std::size_t at = 0; (at = tree.find(at, signal_tree::none)) != signal_tree::none; ++at) {
        tree.retire(at, [] { return false; });
    }
    static_cast<void>(tree.find(0, signal_tree::none));
    explorer::check(tree.empty(), "nothing is marked");
}

/// Another signal keeps the root marked: it is the word that passes on what came before.
void a_mark_passes_on_what_came_before() {
    signal_tree tree{one_word};
    sync::plain<int> made{0};
    tree.mark(0);
    together(named("adder",
                   [&] {
                       made.write(1);
                       tree.mark(4);
                   }),
             named("finder", [&] {
                 if (tree.find(4, 5) == 4) explorer::check(made.read() == 1, "it is made");
             }));
}

/// Who sees that nothing is there has what those did who took it away, all of them.
void emptiness_passes_on() {
    signal_tree tree{one_word};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    tree.set(0);
    tree.set(1);
    together(named("taker",
                   [&] {
                       first.write(1);
                       tree.take(0);
                   }),
             named("other taker",
                   [&] {
                       second.write(1);
                       tree.take(1);
                   }),
             named("onlooker", [&] {
                 if (!tree.empty()) return;
                 explorer::check(first.read() + second.read() == 2, "both have come before");
             }));
}

void withdrawing_passes_on() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.set(0);
    together(named("remover",
                   [&] {
                       letter.write(1);
                       tree.retire(0, [] { return false; });
                   }),
             named("onlooker", [&] {
                 if (!tree.empty()) return;
                 explorer::check(letter.read() == 1, "it has come before");
             }));
    check_left(tree, {});
}

/// The same for marks that are withdrawn, of one word.
void withdrawing_two_passes_on() {
    signal_tree tree{one_word};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    tree.set(0);
    tree.set(1);
    together(named("remover",
                   [&] {
                       first.write(1);
                       tree.retire(0, [] { return false; });
                   }),
             named("other remover",
                   [&] {
                       second.write(1);
                       tree.retire(1, [] { return false; });
                   }),
             named("onlooker", [&] {
                 if (!tree.empty()) return;
                 explorer::check(first.read() + second.read() == 2, "both have come before");
             }));
}

/// The mark above is withdrawn by another than the one who took the signal.
void emptiness_passes_through_another() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.set(0);
    together(named("taker",
                   [&] {
                       letter.write(1);
                       tree.take(0);
                   }),
             named("finder", [&] { static_cast<void>(tree.find(0, one_word)); }),
             named("onlooker", [&] {
                 if (tree.empty()) explorer::check(letter.read() == 1, "it has come before");
             }));
}

/// What is asked before a mark goes is known to who sees it gone.
void the_answer_passes_on() {
    pointer to;
    sync::plain<int> letter{0};
    to.add();
    together(named("taker",
                   [&] {
                       letter.write(1);
                       to.due.store(0, sync::release);
                   }),
             named("remover", [&] { to.tree.retire(4, [&] { return to.needed(); }); }),
             named("onlooker", [&] {
                 if (to.tree.empty()) explorer::check(letter.read() == 1, "it has come before");
             }));
}

/// Taken without a look at the marks: the signal itself passes on what came before.
void taken_by_its_number() {
    signal_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.set(0);
    together(named("setter",
                   [&] {
                       letter.write(1);
                       tree.set(5);
                   }),
             named("taker", [&] {
                 if (tree.take(5)) explorer::check(letter.read() == 1, "it has come before");
             }));
}

void needed_while_another_is_set() {
    signal_tree tree{one_word};
    tree.set(4);
    together(named("remover", [&] { tree.retire(4, [] { return true; }); }),
             named("setter", [&] { tree.set(5); }));
    check_left(tree, {4, 5});
}

void grows_while_others_use_it() {
    signal_tree tree{one_word};
    tree.set(0);
    together(named("grower",
                   [&] {
                       tree.reserve(40);
                       tree.set(33);
                   }),
             named("other grower", [&] { tree.reserve(40); }),
             named("selector", [&] { select_from(tree, 1); }));
    explorer::check(tree.capacity() == 64, "it has grown once");
    std::size_t found = 0;
    while (select_from(tree)) ++found;
    explorer::check(found == 1, "what was there is there, what came is there");
    check_left(tree, {});
}

/// With one of the two stopped anywhere, the other finds what it has set itself.
void nobody_hides_a_signal() {
    signal_tree tree{one_word};
    tree.set(0);
    together(named("taker", [&] { tree.take(0); }), named("setter", [&] {
                 tree.set(1);
                 while (tree.find(1, 2) == signal_tree::none) sync::yield();
             }));
}

TEST(signal_tree, what_was_set_is_selected_with_what_came_before) {
    test::explore_thoroughly("tree: set and select", what_was_set_is_selected);
}
TEST(signal_tree, one_of_two_that_set_the_same_was_the_first) {
    test::explore_thoroughly("tree: two set the same", two_set_the_same);
}
TEST(signal_tree, two_that_set_do_not_lose_each_other) {
    test::explore_thoroughly("tree: two set in one word", two_set_in_one_word);
}
TEST(signal_tree, a_signal_may_be_set_while_it_is_taken) {
    test::explore_thoroughly("tree: set again while taken", set_again_while_it_is_taken);
}
TEST(signal_tree, the_mark_stays_when_the_last_goes_and_another_comes) {
    test::explore_thoroughly("tree: last goes, another comes", the_last_goes_another_comes);
}
TEST(signal_tree, the_mark_stays_on_every_level) {
    test::explore_thoroughly("tree: last word goes, another comes",
                             the_last_word_goes_another_comes);
}
TEST(signal_tree, two_go_while_one_comes) {
    test::explore_thoroughly("tree: two go, one comes", two_go_one_comes);
}
TEST(signal_tree, nothing_is_marked_after_two_have_gone) {
    test::explore_thoroughly("tree: two go", two_go);
}
TEST(signal_tree, nothing_is_marked_after_coming_and_going) {
    test::explore_thoroughly("tree: come and go twice", comes_and_goes_twice);
}
TEST(signal_tree, a_signal_is_selected_once) {
    test::explore_thoroughly("tree: two select one", two_select_one);
}
TEST(signal_tree, two_signals_are_selected_by_two) {
    test::explore_thoroughly("tree: two select two", two_select_two);
}
TEST(signal_tree, what_is_due_elsewhere_stays_marked) {
    test::explore_thoroughly("tree: added while withdrawn", added_while_it_is_withdrawn);
}
TEST(signal_tree, two_may_withdraw_one_mark) {
    test::explore_thoroughly("tree: two withdraw, one adds", two_withdraw_and_one_adds);
}
TEST(signal_tree, nobody_relies_on_a_mark_that_is_not_complete) {
    const auto report = explorer::explore("tree: incomplete mark", explorer::options::weak(4, 1),
                                          nobody_relies_on_a_mark_that_is_not_complete);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}
TEST(signal_tree, a_late_mark_is_withdrawn) {
    test::explore_thoroughly("tree: late mark", a_late_mark_is_withdrawn);
    test::explore_thoroughly("tree: late mark beside another",
                             a_late_mark_beside_another_is_withdrawn);
}
TEST(signal_tree, a_mark_passes_on_what_came_before) {
    test::explore_thoroughly("tree: a mark passes on", a_mark_passes_on_what_came_before);
}
TEST(signal_tree, who_finds_it_empty_has_what_came_before) {
    test::explore_thoroughly("tree: emptiness passes on", emptiness_passes_on);
}
TEST(signal_tree, who_sees_it_withdrawn_has_what_came_before) {
    test::explore_thoroughly("tree: withdrawing passes on", withdrawing_passes_on);
}
TEST(signal_tree, who_sees_two_withdrawn_has_what_came_before_both) {
    test::explore_thoroughly("tree: withdrawing two passes on", withdrawing_two_passes_on);
}
TEST(signal_tree, emptiness_passes_through_others) {
    test::explore_thoroughly("tree: emptiness passes through another",
                             emptiness_passes_through_another);
}
TEST(signal_tree, what_was_asked_before_a_mark_went_passes_on) {
    test::explore_thoroughly("tree: the answer passes on", the_answer_passes_on);
}
TEST(signal_tree, a_signal_passes_on_what_came_before) {
    test::explore_thoroughly("tree: taken by its number", taken_by_its_number);
}
TEST(signal_tree, what_is_needed_does_not_disturb_others) {
    test::explore_thoroughly("tree: needed while another is set", needed_while_another_is_set);
}
TEST(signal_tree, grows_while_others_use_it) {
    test::explore_thoroughly("tree: grows", grows_while_others_use_it);
}

TEST(signal_tree, set_is_wait_free_and_select_is_lock_free) {
    for (const auto& body : {two_go_one_comes, two_set_in_one_word, two_withdraw_and_one_adds}) {
        const auto report = explorer::explore("tree: a thread is stopped",
                                              explorer::options::weak(1, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

TEST(signal_tree, nobody_who_is_stopped_hides_a_signal) {
    const auto report =
        explorer::explore("tree: nobody hides a signal", explorer::options::weak(2, 2).freezing(),
                          nobody_hides_a_signal);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(signal_tree, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"tree: set and select", how, what_was_set_is_selected},
        {"tree: two set the same", how, two_set_the_same},
        {"tree: two set in one word", how, two_set_in_one_word},
        {"tree: set again while taken", how, set_again_while_it_is_taken},
        {"tree: last goes, another comes", how, the_last_goes_another_comes},
        {"tree: last word goes, another comes", how, the_last_word_goes_another_comes},
        {"tree: two go", how, two_go},
        {"tree: come and go twice", how, comes_and_goes_twice},
        {"tree: two select one", how, two_select_one},
        {"tree: added while withdrawn", how, added_while_it_is_withdrawn},
        {"tree: two withdraw, one adds", how, two_withdraw_and_one_adds},
        {"tree: emptiness passes on", how, emptiness_passes_on},
        {"tree: withdrawing passes on", how, withdrawing_passes_on},
        {"tree: withdrawing two passes on", how, withdrawing_two_passes_on},
        {"tree: emptiness passes through another", how, emptiness_passes_through_another},
        {"tree: the answer passes on", how, the_answer_passes_on},
        {"tree: taken by its number", how, taken_by_its_number},
        {"tree: needed while another is set", how, needed_while_another_is_set},
        {"tree: grows", how, grows_while_others_use_it},
        {"tree: nobody hides a signal", how.freezing(), nobody_hides_a_signal},
        {"tree: a mark passes on", how, a_mark_passes_on_what_came_before},
        {"tree: incomplete mark", explorer::options::weak(3, 1),
         nobody_relies_on_a_mark_that_is_not_complete},
    };
    // The look below in retire_above(), and the withdrawal that passes on what it has seen. Who comes
    // there has looked below before, and a fence between passes that on. A difference would be seen
    // only if the word was filled and emptied by others in between, which takes more threads and more
    // preemptions than these bounds have.
    const std::vector<std::string> unseen{"load: drop_acquire", "fetch_and: drop_release"};
    EXPECT_EQ(test::survivors(scenarios, "lockfree/signal_tree.hpp"), unseen);
}

} // namespace
} // namespace weft
