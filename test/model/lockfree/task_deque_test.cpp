#include "model/specimens/custody.hpp"
#include "support/thorough.hpp"

#include <weft/detail/lockfree/task_deque.hpp>

#include <array>
#include <cstdint>
#include <numeric>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Items are pointers to the numbers below `Count`.
template <std::size_t Count>
struct fixture {
    explicit fixture(std::size_t capacity, bool thieves = true) : deque{thieves, capacity} {
        std::iota(numbers.begin(), numbers.end(), 0);
    }

    std::array<int, Count> numbers{};
    detail::task_deque<int> deque;
    specimen::custody<Count> custody;

    int* item(int number) { return &numbers[static_cast<std::size_t>(number)]; }
    void push(int number) { deque.owner_push(item(custody.prepare(number))); }
    bool pop() { return receive(deque.owner_pop()); }
    bool pop_if(int number) {
        if (!deque.owner_pop_if(item(number))) return false;
        custody.receive(number);
        return true;
    }
    bool steal() { return receive(deque.steal()); }
    bool receive(const int* received) {
        if (received == nullptr) return false;
        custody.receive(*received);
        return true;
    }
    void finish() {
        while (pop()) {
        }
        explorer::check(deque.count() == 0, "nothing is left");
        custody.check_all_received();
    }
};

void owner_and_thief() {
    fixture<2> all{4};
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.push(1);
                       all.pop();
                       all.pop();
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

void push_and_pop_by_turns() {
    fixture<3> all{4};
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.pop();
                       all.push(1);
                       all.push(2);
                       all.pop();
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

void two_thieves() {
    fixture<2> all{2};
    all.push(0);
    together(named("owner",
                   [&] {
                       all.push(1);
                       all.pop();
                   }),
             named("thief", [&] { all.steal(); }), named("other thief", [&] { all.steal(); }));
    all.finish();
}

void the_last_item() {
    fixture<1> all{2};
    all.push(0);
    together(named("owner", [&] { all.pop(); }), named("thief", [&] { all.steal(); }),
             named("other thief", [&] { all.steal(); }));
    all.finish();
}

/// A steal may fail only if another thread has taken the item.
void a_steal_that_fails() {
    fixture<1> all{2};
    all.push(0);
    bool first = false;
    bool second = false;
    together(named("thief", [&] { first = all.steal(); }),
             named("other thief", [&] { second = all.steal(); }));
    explorer::check(first != second, "one fails only because the other succeeds");
    all.finish();
}

void growing() {
    fixture<2> all{1};
    all.push(0);
    together(named("owner",
                   [&] {
                       all.push(1);
                       all.pop();
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

void growing_twice() {
    fixture<3> all{1};
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.push(1);
                       all.push(2);
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

/// A thief may hold the old buffer while the owner fills the new one.
void growing_between_two_thieves() {
    fixture<3> all{2};
    all.push(0);
    all.push(1);
    together(named("owner",
                   [&] {
                       all.push(2);
                       all.pop();
                   }),
             named("thief", [&] { all.steal(); }), named("other thief", [&] { all.steal(); }));
    all.finish();
}

/// A cell is filled again as soon as it was stolen from.
void wrapping() {
    fixture<4> all{2};
    all.push(0);
    all.push(1);
    together(named("owner",
                   [&] {
                       all.push(2); // grows unless a steal was seen
                       all.push(3);
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

void one_cell() {
    fixture<3> all{1};
    together(named("owner",
                   [&] {
                       for (const int item : {0, 1, 2}) {
                           all.push(item);
                           all.pop();
                       }
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.finish();
}

void a_certain_item() {
    fixture<2> all{2};
    all.push(0);
    together(named("owner",
                   [&] {
                       explorer::check(!all.pop_if(1), "it is not there");
                       all.push(1);
                       explorer::check(!all.pop_if(0), "it is not the youngest");
                       all.pop_if(1);
                       all.pop_if(0);
                   }),
             named("thief", [&] { all.steal(); }));
    all.finish();
}

void a_certain_item_that_is_the_last() {
    fixture<1> all{2};
    all.push(0);
    bool popped = false;
    bool stolen = false;
    together(named("owner", [&] { popped = all.pop_if(0); }),
             named("thief", [&] { stolen = all.steal(); }));
    explorer::check(popped || stolen, "the owner or the thief gets it");
    all.finish();
}

void the_owner_takes_its_oldest() {
    fixture<3> all{2};
    all.push(0);
    all.push(1);
    together(named("owner",
                   [&] {
                       all.steal();
                       all.push(2);
                       all.pop();
                   }),
             named("thief", [&] { all.steal(); }));
    all.finish();
}

/// A thief takes what is pushed from a position on, while something lasts; not what was there
/// before, nor what is pushed afterwards.
void while_it_lasts() {
    fixture<4> all{2};
    all.push(0);
    sync::atomic<std::uint32_t> first{0};
    sync::atomic<int> phase{0}; // 1: it lasts, 2: it has ended
    together(named("owner",
                   [&] {
                       all.pop();
                       first.store(all.deque.owner_position(), sync::relaxed);
                       phase.store(1, sync::release);
                       all.push(1);
                       all.pop();
                       all.push(2);
                       phase.store(2, sync::release);
                       all.pop();
                       all.push(3);
                   }),
             named("thief", [&] {
                 if (phase.load(sync::acquire) == 0) return;
                 const int* taken = all.deque.steal_while(
                     first.load(sync::relaxed), [&] { return phase.load(sync::acquire) == 1; });
                 if (!all.receive(taken)) return;
                 explorer::check(*taken == 1 || *taken == 2, "it was pushed while it lasted");
             }));
    all.finish();
}

void from_a_position() {
    fixture<3> all{2};
    all.push(0);
    all.push(1);
    const std::uint32_t first = all.deque.owner_position();
    together(named("owner",
                   [&] {
                       all.push(2);
                       all.steal();
                   }),
             named("thief", [&] {
                 const int* taken = all.deque.steal_while(first, [] { return true; });
                 explorer::check(taken == nullptr, "older ones come first");
                 explorer::check(!all.deque.has_from(first), "and hide what was pushed later");
             }));
    all.finish();
}

void without_thieves() {
    fixture<3> all{1, false};
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.push(1);
                       explorer::check(all.pop_if(1), "the youngest is there");
                       all.push(2);
                       explorer::check(all.steal(), "the owner may take the oldest");
                       explorer::check(all.pop(), "one is left");
                       explorer::check(!all.pop() && !all.steal(), "none is left");
                   }),
             named("observer",
                   [&] { explorer::check(all.deque.count() <= 2, "the count is a guess"); }));
    all.finish();
}

void one_of_each() {
    fixture<2> all{1};
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.push(1);
                       all.pop();
                   }),
             named("thief", [&] { all.steal(); }));
    all.finish();
}

TEST(task_deque, owner_and_thief_share_nothing_and_lose_nothing) {
    test::explore_thoroughly("task deque: owner and thief", owner_and_thief);
}

TEST(task_deque, push_and_pop_by_turns) {
    test::explore_thoroughly("task deque: push and pop by turns", push_and_pop_by_turns);
}

TEST(task_deque, two_thieves_share_nothing) {
    test::explore_thoroughly("task deque: two thieves", two_thieves);
}

TEST(task_deque, the_last_item_goes_to_one) {
    test::explore_thoroughly("task deque: the last item", the_last_item);
}

TEST(task_deque, a_steal_fails_only_if_another_succeeds) {
    test::explore_thoroughly("task deque: a steal that fails", a_steal_that_fails);
}

TEST(task_deque, grows_while_a_thief_steals) {
    test::explore_thoroughly("task deque: growing", growing);
}

TEST(task_deque, grows_again_and_again) {
    test::explore_thoroughly("task deque: growing twice", growing_twice);
}

TEST(task_deque, grows_while_two_thieves_steal) {
    test::explore_thoroughly("task deque: growing, two thieves", growing_between_two_thieves);
}

TEST(task_deque, wraps_around) { test::explore_thoroughly("task deque: wrapping", wrapping); }

TEST(task_deque, works_with_one_cell) {
    test::explore_thoroughly("task deque: one cell", one_cell);
}

TEST(task_deque, pops_a_certain_item_only_if_it_is_the_youngest) {
    test::explore_thoroughly("task deque: a certain item", a_certain_item);
}

TEST(task_deque, a_certain_item_goes_to_the_owner_or_a_thief) {
    test::explore_thoroughly("task deque: a certain item, the last",
                             a_certain_item_that_is_the_last);
}

TEST(task_deque, the_owner_may_take_its_oldest) {
    test::explore_thoroughly("task deque: the owner's oldest", the_owner_takes_its_oldest);
}

TEST(task_deque, gives_what_was_pushed_while_something_lasts) {
    test::explore_thoroughly("task deque: while it lasts", while_it_lasts);
}

TEST(task_deque, gives_nothing_from_before_a_position) {
    test::explore_thoroughly("task deque: from a position", from_a_position);
}

TEST(task_deque, needs_no_fence_without_thieves) {
    test::explore_thoroughly("task deque: without thieves", without_thieves);
}

TEST(task_deque, is_lock_free) {
    const auto report = explorer::explore("task deque: a thread is stopped",
                                          explorer::options::weak(2, 1).freezing(), one_of_each);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(task_deque, every_mutant_within_the_model_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"task deque: the last item", bounds, the_last_item},
        {"task deque: one of each", bounds, one_of_each},
        {"task deque: growing", bounds, growing},
        {"task deque: owner and thief", bounds, owner_and_thief},
        {"task deque: wrapping", bounds, wrapping},
    };
    // The two sides of one pair, DEQUE-1 and DEQUE-7: without it a thief's read of a cell could
    // return what the owner stores there later, because it saw the steal. That is load buffering,
    // which the model lacks.
    const std::vector<std::string> beyond = {"load: drop_acquire",
                                             "compare_exchange_strong: drop_release"};
    EXPECT_EQ(test::survivors(scenarios, "task_deque.hpp"), beyond);
}

} // namespace
} // namespace weft
