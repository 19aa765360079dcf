// Each promise of the word, where one call of the owner meets one of the thief. How they are put
// together, by worker::run_stolen and worker::wait_for_stolen, is explored in
// pool/helping_test.cpp.
#include "support/thorough.hpp"

#include <weft/detail/lockfree/join_word.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <string>
#include <vector>

namespace weft::join_word_test {
namespace {

using detail::join_word;
using explorer::named;
using explorer::together;
using state = join_word::state;

/// A child that was stolen: what its thief writes before it begins, and before it finishes.
struct stolen_child {
    join_word join;
    sync::plain<int> base{0};
    sync::plain<int> result{0};
};

void looking_while_it_begins() {
    stolen_child child;
    together(named("owner",
                   [&] {
                       if (child.join.owner_look() == state::shared) return;
                       explorer::check(child.base.read() == 7, "the base is seen");
                   }),
             named("thief", [&] {
                 child.base.write(7);
                 static_cast<void>(child.join.thief_begin());
             }));
}

/// The child ends as soon as its owner knows; the thief must not touch it any more.
void looking_while_it_finishes() {
    auto* child = sync::make<stolen_child>();
    static_cast<void>(child->join.thief_begin());
    bool done = false;
    together(named("owner",
                   [&] {
                       done = child->join.owner_look() == state::done;
                       if (!done) return;
                       explorer::check(child->result.read() == 1, "the result is seen");
                       sync::destroy(child);
                   }),
             named("thief", [&] {
                 child->result.write(1);
                 static_cast<void>(child->join.thief_finish());
             }));
    if (!done) sync::destroy(child);
}

void awaiting_while_it_begins() {
    join_word join;
    bool wake = false;
    state seen{};
    together(named("owner", [&] { seen = join.owner_await(); }),
             named("thief", [&] { wake = join.thief_begin(); }));
    explorer::check(seen == (wake ? state::shared : state::running),
                    "the owner is woken if it sleeps before there is a thief");
    explorer::check(join.owner_look() == state::running, "it has begun");
    explorer::check(join.thief_finish().wake, "the owner is woken at the end too");
}

void awaiting_while_it_finishes() {
    join_word join;
    static_cast<void>(join.thief_begin());
    bool wake = false;
    state seen{};
    together(named("owner", [&] { seen = join.owner_await(); }),
             named("thief", [&] { wake = join.thief_finish().wake; }));
    explorer::check(seen == (wake ? state::running : state::done),
                    "the owner is woken if and only if it sleeps");
    explorer::check(join.owner_look() == state::done, "it is done");
}

void helping_while_it_begins() {
    join_word join;
    bool helps = false;
    together(named("owner", [&] { helps = join.owner_help(); }),
             named("thief", [&] { explorer::check(!join.thief_begin(), "nobody sleeps"); }));
    explorer::check(helps && join.owner_look() == state::running, "it has begun");
    explorer::check(join.thief_finish().helped, "the thief knows that it was helped");
}

void helping_while_it_finishes() {
    join_word join;
    static_cast<void>(join.thief_begin());
    bool helps = false;
    join_word::finished end{};
    together(named("owner", [&] { helps = join.owner_help(); }),
             named("thief", [&] { end = join.thief_finish(); }));
    explorer::check(end.helped == helps, "the thief knows if and only if the owner helps");
    explorer::check(!end.wake && join.owner_look() == state::done, "it is done");
}

TEST(join_word, what_came_before_begin_is_seen_while_it_runs) {
    test::explore_thoroughly("join word: looking while it begins", looking_while_it_begins);
}

TEST(join_word, a_child_may_end_with_its_result_when_it_is_seen_done) {
    test::explore_thoroughly("join word: looking while it finishes", looking_while_it_finishes);
}

TEST(join_word, an_owner_that_sleeps_is_woken_by_the_beginning_and_by_the_end) {
    test::explore_thoroughly("join word: awaiting while it begins", awaiting_while_it_begins);
}

TEST(join_word, the_owner_is_woken_if_and_only_if_it_sleeps) {
    test::explore_thoroughly("join word: awaiting while it finishes", awaiting_while_it_finishes);
}

TEST(join_word, the_beginning_does_not_forget_that_the_owner_helps) {
    test::explore_thoroughly("join word: helping while it begins", helping_while_it_begins);
}

TEST(join_word, the_thief_learns_that_it_was_helped) {
    test::explore_thoroughly("join word: helping while it finishes", helping_while_it_finishes);
}

TEST(join_word, is_wait_free) {
    const auto report = explorer::explore(
        "join word: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            join_word join;
            together(named("owner",
                           [&] {
                               static_cast<void>(join.owner_look());
                               static_cast<void>(join.owner_await());
                           }),
                     named("thief", [&] {
                         static_cast<void>(join.thief_begin());
                         static_cast<void>(join.thief_finish());
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(join_word, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"join word: looking while it begins", bounds, looking_while_it_begins},
        {"join word: looking while it finishes", bounds, looking_while_it_finishes},
        {"join word: awaiting while it begins", bounds, awaiting_while_it_begins},
        {"join word: awaiting while it finishes", bounds, awaiting_while_it_finishes},
        {"join word: helping while it begins", bounds, helping_while_it_begins},
        {"join word: helping while it finishes", bounds, helping_while_it_finishes},
    };
    EXPECT_EQ(test::survivors(scenarios, "join_word.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::join_word_test
