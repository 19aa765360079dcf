#include "chase_lev_deque.hpp"

#include "custody.hpp"
#include "support/thorough.hpp"

namespace weft {
namespace {

using explorer::named;
using explorer::together;

template <std::int64_t Capacity, std::size_t Count>
struct fixture {
    specimen::chase_lev_deque<Capacity> deque;
    specimen::custody<Count> custody;

    void push(int item) {
        explorer::check(deque.owner_try_push(custody.prepare(item)), "there is room");
    }
    void pop() { custody.receive(deque.owner_pop()); }
    void steal() { custody.receive(deque.steal()); }
    void finish() {
        for (std::size_t i = 0; i < Count; ++i) pop();
        custody.check_all_received();
    }
};

void owner_and_thief() {
    fixture<4, 2> shared;
    together(named("owner",
                   [&] {
                       shared.push(0);
                       shared.push(1);
                       shared.pop();
                       shared.pop();
                   }),
             named("thief", [&] {
                 shared.steal();
                 shared.steal();
             }));
    shared.finish();
}

void push_and_pop_by_turns() {
    fixture<4, 3> shared;
    together(named("owner",
                   [&] {
                       shared.push(0);
                       shared.pop();
                       shared.push(1);
                       shared.push(2);
                       shared.pop();
                   }),
             named("thief", [&] {
                 shared.steal();
                 shared.steal();
             }));
    shared.finish();
}

void two_thieves() {
    fixture<4, 2> shared;
    shared.push(0);
    together(named("owner",
                   [&] {
                       shared.push(1);
                       shared.pop();
                   }),
             named("thief", [&] { shared.steal(); }),
             named("other thief", [&] { shared.steal(); }));
    shared.finish();
}

void the_last_item() {
    fixture<4, 1> shared;
    shared.push(0);
    together(named("owner", [&] { shared.pop(); }), named("thief", [&] { shared.steal(); }),
             named("other thief", [&] { shared.steal(); }));
    shared.finish();
}

/// A slot is filled again as soon as it was stolen from.
void wrapping() {
    fixture<2, 3> shared;
    shared.push(0);
    shared.push(1);
    bool pushed = false;
    together(
        named("owner", [&] { pushed = shared.deque.owner_try_push(shared.custody.prepare(2)); }),
        named("thief", [&] { shared.steal(); }));
    if (!pushed) shared.custody.receive(2); // there was no room: it never left our hands
    shared.finish();
}

TEST(chase_lev_deque, owner_and_thief_share_nothing_and_lose_nothing) {
    test::explore_thoroughly("deque: owner and thief", owner_and_thief);
}

TEST(chase_lev_deque, push_and_pop_by_turns) {
    test::explore_thoroughly("deque: push and pop by turns", push_and_pop_by_turns);
}

TEST(chase_lev_deque, two_thieves_share_nothing) {
    test::explore_thoroughly("deque: two thieves", two_thieves);
}

TEST(chase_lev_deque, the_last_item_goes_to_one) {
    test::explore_thoroughly("deque: the last item", the_last_item);
}

TEST(chase_lev_deque, wraps_around) { test::explore_thoroughly("deque: wrapping", wrapping); }

TEST(chase_lev_deque, is_lock_free) {
    const auto report = explorer::explore(
        "deque: a thread is stopped", explorer::options::weak(2, 1).freezing(), owner_and_thief);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(chase_lev_deque, every_mutant_within_the_model_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"deque: owner and thief", how, owner_and_thief},
        {"deque: the last item", how, the_last_item},
        {"deque: push and pop by turns", how, push_and_pop_by_turns},
        {"deque: wrapping", how, wrapping},
    };
    // The two sides of one pair: without it the thief's read of a slot could return what the owner
    // stores there later, because it saw the steal. That is load buffering, which the model lacks.
    const std::vector<std::string> beyond = {"load: drop_acquire",
                                             "compare_exchange_strong: drop_release"};
    EXPECT_EQ(test::survivors(scenarios, "chase_lev_deque.hpp"), beyond);
}

} // namespace
} // namespace weft
