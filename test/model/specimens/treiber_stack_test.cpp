#include "treiber_stack.hpp"

#include "custody.hpp"
#include "support/thorough.hpp"

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using stack = specimen::treiber_stack<3>;
template <std::size_t Count>
struct fixture {
    stack items;
    specimen::custody<Count> custody;

    void push(int item) { items.push(static_cast<std::uint32_t>(custody.prepare(item))); }
    void pop() {
        const auto item = items.pop();
        if (item) custody.receive(static_cast<int>(*item));
    }
    void finish() {
        for (std::size_t i = 0; i < Count; ++i) pop();
        custody.check_all_received();
    }
};

void a_pusher_and_a_popper() {
    fixture<2> shared;
    together(named("pusher",
                   [&] {
                       shared.push(0);
                       shared.push(1);
                   }),
             named("popper", [&] {
                 shared.pop();
                 shared.pop();
             }));
    shared.finish();
}

void two_threads_push_and_pop() {
    fixture<2> shared;
    const auto both = [&](int item) {
        return [&shared, item] {
            shared.push(item);
            shared.pop();
        };
    };
    together(both(0), both(1));
    shared.finish();
}

void two_poppers_and_a_pusher() {
    fixture<3> shared;
    shared.push(0);
    shared.push(1);
    together(named("popper", [&] { shared.pop(); }), named("other popper", [&] { shared.pop(); }),
             named("pusher", [&] { shared.push(2); }));
    shared.finish();
}

/// One thread is about to take the head while the other takes two and puts the head back.
void the_head_returns() {
    stack items;
    for (const std::uint32_t item : {2U, 1U, 0U}) items.push(item);
    std::array<int, 3> held{};
    const auto take = [&] {
        const auto item = items.pop();
        if (item) ++held[*item];
        return item;
    };
    together(named("slow", [&] { take(); }), named("quick", [&] {
                 const auto first = take();
                 take();
                 if (first) {
                     --held[*first];
                     items.push(*first);
                 }
             }));
    while (take()) {
    }
    for (const int times : held) explorer::check(times == 1, "each item is held once");
}

TEST(treiber_stack, hands_over_what_was_pushed) {
    test::explore_thoroughly("stack: a pusher and a popper", a_pusher_and_a_popper);
}

TEST(treiber_stack, two_threads_may_push_and_pop) {
    test::explore_thoroughly("stack: two threads push and pop", two_threads_push_and_pop);
}

TEST(treiber_stack, poppers_never_share_an_item) {
    test::explore_thoroughly("stack: two poppers and a pusher", two_poppers_and_a_pusher);
}

TEST(treiber_stack, is_not_fooled_by_a_head_that_returns) {
    test::explore_thoroughly("stack: the head returns", the_head_returns);
}

TEST(treiber_stack, is_lock_free) {
    const auto report =
        explorer::explore("stack: a thread is stopped", explorer::options::weak(2, 1).freezing(),
                          two_threads_push_and_pop);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(treiber_stack, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"stack: a pusher and a popper", bounds, a_pusher_and_a_popper},
        {"stack: two threads push and pop", bounds, two_threads_push_and_pop},
        {"stack: the head returns", bounds, the_head_returns},
    };
    EXPECT_EQ(test::survivors(scenarios, "treiber_stack.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
