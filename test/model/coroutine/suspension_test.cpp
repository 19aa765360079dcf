// A wait by itself: a coroutine that suspends, the end of what it waits for, and a request to stop.
#include "support/thorough.hpp"

#include <weft/detail/coroutine/suspension.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::suspension_test {
namespace {

using detail::suspension;
using explorer::named;
using explorer::together;
using verdict = suspension::verdict;

/// A wait on the heap, and what each side writes for the other.
struct scene {
    struct shared {
        suspension word;
    };
    shared* wait = sync::make<shared>();
    sync::plain<int> frame{0};   // of the coroutine, written before it suspends
    sync::plain<int> outcome{0}; // written before the end
    sync::plain<int> continued{0};

    /// The coroutine goes on: in place, or resumed by another thread.
    void go_on(bool stopped) {
        explorer::check(frame.read() == 1, "the frame is seen");
        if (!stopped) explorer::check(outcome.read() == 1, "the outcome is seen");
        ++continued.modify();
        if (!stopped || wait->word.waiter_lets_go()) sync::destroy(wait);
    }
    void suspend() {
        frame.write(1);
        if (!wait->word.try_suspend()) go_on(wait->word.stopped());
    }
    void end() {
        outcome.write(1);
        switch (wait->word.end()) {
        case verdict::resume: return go_on(false);
        case verdict::nothing: return;
        case verdict::unwanted:
            if (wait->word.end_lets_go()) sync::destroy(wait);
        }
    }
    void stop() {
        if (wait->word.stop()) go_on(true);
    }
    void check_end() const { explorer::check(continued.read() == 1, "it has continued once"); }
};

void ended() {
    scene all;
    together(named("coroutine", [&] { all.suspend(); }), named("end", [&] { all.end(); }));
    all.check_end();
}

/// `stop` comes while the wait exists: its registration ends before the coroutine frees the wait.
/// Here the end is the last to free it, so that both may come at any time.
void ended_and_stopped() {
    scene all;
    sync::plain<int> let_go{0};
    suspension& word = all.wait->word;
    const auto go_on = [&] {
        explorer::check(all.frame.read() == 1, "the frame is seen");
        if (!word.stopped()) explorer::check(all.outcome.read() == 1, "the outcome is seen");
        ++all.continued.modify();
        if (word.stopped() && word.waiter_lets_go()) ++let_go.modify();
    };
    together(named("coroutine",
                   [&] {
                       all.frame.write(1);
                       if (!word.try_suspend()) go_on();
                   }),
             named("end",
                   [&] {
                       all.outcome.write(1);
                       const verdict now = word.end();
                       if (now == verdict::resume) go_on();
                       if (now == verdict::unwanted && word.end_lets_go()) ++let_go.modify();
                   }),
             named("stop", [&] {
                 if (word.stop()) go_on();
             }));
    explorer::check(all.continued.read() == 1, "it has continued once");
    explorer::check(let_go.read() == (word.stopped() ? 1 : 0),
                    "one is the last, if it was stopped");
    sync::destroy(all.wait);
}

/// Stopped before: both sides let go, and the last one frees what they share.
void stopped_and_left() {
    scene all;
    all.frame.write(1);
    explorer::check(all.wait->word.try_suspend(), "it is suspended");
    explorer::check(all.wait->word.stop(), "the caller resumes it");
    together(named("coroutine", [&] { all.go_on(true); }), named("end", [&] { all.end(); }));
    all.check_end();
}

/// A suspended coroutine is resumed by the thread that stops it.
void stopped_only() {
    scene all;
    together(named("coroutine", [&] { all.suspend(); }), named("stop", [&] { all.stop(); }));
    all.check_end();
    all.end();
}

TEST(suspension, ends_once) { test::explore_thoroughly("suspension: ended", ended); }

TEST(suspension, ends_or_is_stopped_once) {
    test::explore_thoroughly("suspension: ended and stopped", ended_and_stopped);
}

TEST(suspension, that_was_stopped_is_freed_by_the_last_side) {
    test::explore_thoroughly("suspension: stopped and left", stopped_and_left);
}

TEST(suspension, is_stopped_while_it_begins) {
    test::explore_thoroughly("suspension: stopped only", stopped_only);
}

TEST(suspension, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"suspension: ended", bounds, ended},
        {"suspension: ended and stopped", bounds, ended_and_stopped},
        {"suspension: stopped and left", bounds, stopped_and_left},
        {"suspension: stopped only", bounds, stopped_only},
    };
    EXPECT_EQ(test::survivors(scenarios, "suspension.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::suspension_test
