// What may happen to the signals of a tree.
#pragma once

#include "support/signal_set.hpp"
#include <weft/detail/lockfree/mark_tree.hpp>

#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>

namespace weft::test::tree {

using detail::mark_tree;
using explorer::named;
using explorer::together;

/// Waits until a signal is taken.
inline std::size_t await(signal_set& signals) {
    for (;;) {
        if (const auto found = signals.take_first()) return *found;
        sync::yield();
    }
}

/// Exactly these are left, and nothing else is marked.
inline void check_left(signal_set& signals, std::initializer_list<std::size_t> left) {
    for (const std::size_t each : left) {
        explorer::check(!signals.tree.empty(), "something is left");
        explorer::check(signals.take_first() == each, "what was set and not taken is found");
    }
    explorer::check(!signals.take_first().has_value(), "no more is found");
    explorer::check(signals.tree.empty(), "nothing is marked above what is empty");
}

inline constexpr std::size_t one_word = 32;
inline constexpr std::size_t two_words = 64;

inline void what_was_set_is_selected() {
    signal_set signals{one_word};
    sync::plain<int> letter{0};
    together(named("setter",
                   [&] {
                       letter.write(1);
                       explorer::check(signals.set(5), "it was not set");
                   }),
             named("selector", [&] {
                 explorer::check(await(signals) == 5, "it is the one that was set");
                 explorer::check(letter.read() == 1, "what came before is seen");
             }));
    check_left(signals, {});
}

inline void two_set_the_same() {
    signal_set signals{one_word};
    int news = 0;
    const auto set = [&] { news += signals.set(3) ? 1 : 0; };
    together(named("setter", set), named("other setter", set));
    explorer::check(news == 1, "one of them was the first");
    check_left(signals, {3});
}

inline void two_set_in_one_word() {
    signal_set signals{one_word};
    together(named("setter", [&] { signals.set(1); }),
             named("other setter", [&] { signals.set(2); }));
    check_left(signals, {1, 2});
}

inline void set_again_while_it_is_taken() {
    signal_set signals{one_word};
    signals.set(3);
    bool was_new = false;
    int taken = 0;
    together(named("setter", [&] { was_new = signals.set(3); }),
             named("taker", [&] { taken += signals.take(3) ? 1 : 0; }));
    explorer::check(taken == 1, "it was there");
    if (was_new) check_left(signals, {3});
    else check_left(signals, {});
}

/// The last of a word goes while another comes: the mark above must stay, or come again.
inline void the_last_goes_another_comes() {
    signal_set signals{one_word};
    signals.set(0);
    together(named("taker", [&] { explorer::check(signals.take(0), "it was there"); }),
             named("setter", [&] { signals.set(1); }));
    check_left(signals, {1});
}

/// The same one level higher.
inline void the_last_word_goes_another_comes() {
    signal_set signals{two_words};
    signals.set(0);
    together(named("taker", [&] { explorer::check(signals.take(0), "it was there"); }),
             named("setter", [&] { signals.set(40); }));
    check_left(signals, {40});
}

inline void two_go_one_comes() {
    signal_set signals{one_word};
    signals.set(0);
    signals.set(1);
    together(named("taker", [&] { signals.take(0); }),
             named("other taker", [&] { signals.take(1); }),
             named("setter", [&] { signals.set(2); }));
    check_left(signals, {2});
}

/// The search starts in a word without signals, goes up, and down into the word that empties.
inline void a_search_passes_a_word_that_empties() {
    constexpr std::size_t three_words = 96;
    signal_set signals{three_words};
    signals.set(40);
    signals.set(70);
    together(named("taker", [&] { signals.take(40); }), named("searcher", [&] {
                 const std::size_t found = signals.tree.find(10, mark_tree::none);
                 explorer::check(found == 40 || found == 70, "what stays is not overlooked");
             }));
    check_left(signals, {70});
}

inline void two_go() {
    signal_set signals{two_words};
    signals.set(0);
    signals.set(40);
    together(named("taker", [&] { signals.take(0); }),
             named("other taker", [&] { signals.take(40); }));
    check_left(signals, {});
}

inline void comes_and_goes_twice() {
    signal_set signals{one_word};
    const auto come_and_go = [&signals](std::size_t signal) {
        return [&signals, signal] {
            signals.set(signal);
            explorer::check(signals.take(signal), "nobody else takes it");
        };
    };
    together(named("one", come_and_go(0)), named("other", come_and_go(1)));
    check_left(signals, {});
}

inline void two_select_one() {
    signal_set signals{one_word};
    signals.set(7);
    int found = 0;
    const auto select = [&] { found += signals.take_first() ? 1 : 0; };
    together(named("selector", select), named("other selector", select));
    explorer::check(found == 1, "one of them has it");
    check_left(signals, {});
}

inline void two_select_two() {
    signal_set signals{one_word};
    signals.set(7);
    signals.set(8);
    std::array<std::size_t, 2> found{};
    together(named("selector", [&] { found[0] = signals.take_first().value_or(0); }),
             named("other selector", [&] { found[1] = signals.take_first().value_or(0); }));
    explorer::check(found[0] + found[1] == 15, "there is one for each");
    check_left(signals, {});
}

/// A signal that points to something elsewhere: as contracts use it.
struct pointer {
    mark_tree tree{one_word};
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

inline void added_while_it_is_withdrawn() {
    pointer target;
    target.add();
    together(named("adder", [&] { target.add(); }), named("remover", [&] { target.remove_all(); }));
    target.check();
}

inline void two_withdraw_and_one_adds() {
    pointer target;
    target.add();
    together(
        named("adder", [&] { target.add(); }), named("remover", [&] { target.remove_all(); }),
        named("other remover", [&] { target.tree.retire(4, [&] { return target.needed(); }); }));
    target.check();
}

/// Both add to what one mark points to. The first to mark the word may be stopped before it has
/// marked the root: then the other has marked the root or seen it marked, even if marks are
/// withdrawn meanwhile.
inline void no_adder_relies_on_an_incomplete_mark() {
    mark_tree tree{one_word};
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

/// The setter is stopped after it has marked the word and before it marks the level above, and the
/// signal is taken meanwhile: the mark above comes late, at the first place of its word. A thread
/// that finds nothing below withdraws it.
inline void a_late_mark_is_withdrawn() {
    signal_set signals{2 * one_word};
    together(named("setter", [&] { signals.set(0); }), named("taker", [&] { signals.take(0); }));
    signals.take(0);
    check_left(signals, {});
}

/// The same where another signal keeps the segment marked meanwhile.
inline void a_late_mark_beside_another_is_withdrawn() {
    mark_tree tree{2 * one_word};
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
    constexpr std::size_t none = mark_tree::none;
    for (std::size_t signal = 0; (signal = tree.find(signal, none)) != none; ++signal) {
        tree.retire(signal, [] { return false; });
    }
    static_cast<void>(tree.find(0, mark_tree::none));
    explorer::check(tree.empty(), "nothing is marked");
}

/// Another signal keeps the root marked: it is the word that passes on what came before.
inline void a_mark_passes_on_what_came_before() {
    mark_tree tree{one_word};
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

/// A thread that sees the tree empty sees what every taker did before.
inline void emptiness_passes_on() {
    signal_set signals{one_word};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    signals.set(0);
    signals.set(1);
    together(named("taker",
                   [&] {
                       first.write(1);
                       signals.take(0);
                   }),
             named("other taker",
                   [&] {
                       second.write(1);
                       signals.take(1);
                   }),
             named("observer", [&] {
                 if (!signals.tree.empty()) return;
                 explorer::check(first.read() + second.read() == 2,
                                 "what came before both is seen");
             }));
}

inline void withdrawing_passes_on() {
    mark_tree tree{one_word};
    sync::plain<int> letter{0};
    tree.mark(0);
    together(named("remover",
                   [&] {
                       letter.write(1);
                       tree.retire(0, [] { return false; });
                   }),
             named("observer", [&] {
                 if (!tree.empty()) return;
                 explorer::check(letter.read() == 1, "what came before is seen");
             }));
    explorer::check(tree.find(0, one_word) == mark_tree::none, "nothing is found");
}

/// The same for marks that are withdrawn, of one word.
inline void withdrawing_two_passes_on() {
    mark_tree tree{one_word};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    tree.mark(0);
    tree.mark(1);
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
             named("observer", [&] {
                 if (!tree.empty()) return;
                 explorer::check(first.read() + second.read() == 2,
                                 "what came before both is seen");
             }));
}

/// The mark above is withdrawn by a thread other than the one that took the signal.
inline void emptiness_passes_through_another() {
    signal_set signals{one_word};
    sync::plain<int> letter{0};
    signals.set(0);
    together(named("taker",
                   [&] {
                       letter.write(1);
                       signals.take(0);
                   }),
             named("finder", [&] { static_cast<void>(signals.tree.find(0, one_word)); }),
             named("observer", [&] {
                 if (signals.tree.empty())
                     explorer::check(letter.read() == 1, "what came before is seen");
             }));
}

/// What a remover saw before it withdrew a mark is seen by a thread that sees the mark gone.
inline void the_answer_passes_on() {
    pointer target;
    sync::plain<int> letter{0};
    target.add();
    together(named("taker",
                   [&] {
                       letter.write(1);
                       target.due.store(0, sync::release);
                   }),
             named("remover", [&] { target.tree.retire(4, [&] { return target.needed(); }); }),
             named("observer", [&] {
                 if (target.tree.empty())
                     explorer::check(letter.read() == 1, "what came before is seen");
             }));
}

/// A mark that is still needed stays, also while another is set.
inline void needed_while_another_is_set() {
    signal_set signals{one_word};
    signals.set(4);
    together(named("remover", [&] { signals.tree.retire(4, [] { return true; }); }),
             named("setter", [&] { signals.set(5); }));
    check_left(signals, {4, 5});
}

inline void grows_while_others_use_it() {
    signal_set signals{two_words, one_word};
    signals.set(0);
    together(named("grower",
                   [&] {
                       signals.tree.reserve(40);
                       signals.set(33);
                   }),
             named("other grower", [&] { signals.tree.reserve(40); }),
             named("selector", [&] { signals.take_first(1); }));
    mark_tree grown;
    grown.reserve(40);
    explorer::check(signals.tree.memory() == grown.memory(), "it has grown once");
    std::size_t found = 0;
    while (signals.take_first()) ++found;
    explorer::check(found == 1, "the other signal is found");
    check_left(signals, {});
}

/// With one of the two stopped anywhere, the other finds what it has set itself.
inline void a_stopped_thread_hides_no_signal() {
    signal_set signals{one_word};
    signals.set(0);
    together(named("taker", [&] { signals.take(0); }), named("setter", [&] {
                 signals.set(1);
                 while (signals.tree.find(1, 2) == mark_tree::none) sync::yield();
             }));
}

} // namespace weft::test::tree
