// One thread is stopped for ever, at each of its steps in turn: the others end if the code is
// lock-free, and do not if it blocks.
#include "support/exploring.hpp"

#include <array>
#include <mutex>
#include <set>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

options freezing() { return options::sequential(2).freezing(); }

testing::AssertionResult blocks(const options& bounds, const scenario_body& body) {
    return fails_with(failure_kind::blocked_by_frozen, bounds, body);
}

void use_a_spin_lock() {
    atomic<bool> locked{false};
    const auto visit = [&] {
        while (locked.exchange(true, acquire)) yield();
        locked.store(false, release);
    };
    together(visit, visit);
}

TEST(freezing, catches_a_spin_lock) { EXPECT_TRUE(blocks(freezing(), use_a_spin_lock)); }

TEST(freezing, catches_a_spin_lock_at_random) {
    EXPECT_TRUE(blocks(options::random(1000).freezing(), use_a_spin_lock));
}

TEST(freezing, catches_a_mutex) {
    EXPECT_TRUE(blocks(freezing(), [] {
        mutex guard;
        const auto visit = [&] { const std::lock_guard lock{guard}; };
        together(visit, visit);
    }));
}

TEST(freezing, catches_a_sleeper_that_nobody_else_wakes) {
    EXPECT_TRUE(blocks(freezing(), [] {
        atomic<bool> ready{false};
        parker sleeper;
        together([&] { sleeper.park(); },
                 [&] {
                     ready.store(true);
                     sleeper.unpark();
                 });
    }));
}

TEST(freezing, stops_a_thread_before_its_first_step_too) {
    EXPECT_TRUE(blocks(freezing(), [] {
        parker sleeper;
        together([&] { sleeper.park(); }, [&] { sleeper.unpark(); });
    }));
}

TEST(freezing, without_it_a_spin_lock_passes) {
    EXPECT_TRUE(passes(options::sequential(2), use_a_spin_lock));
}

TEST(freezing, lets_a_wait_free_flag_pass) {
    EXPECT_TRUE(passes(freezing(), [] {
        atomic<int> flag{0};
        together([&] { flag.store(1, release); }, [&] { flag.load(acquire); },
                 [&] { flag.fetch_or(2, acq_rel); });
    }));
}

/// Treiber's stack of nodes that are never used again.
class stack {
public:
    struct node {
        atomic<node*> next{nullptr};
    };

    void push(node& pushed) {
        node* old = top_.load(relaxed);
        do pushed.next.store(old, relaxed);
        while (!top_.compare_exchange_strong(old, &pushed, release, relaxed));
    }

    node* pop() {
        node* old = top_.load(acquire);
        while (old != nullptr &&
               !top_.compare_exchange_strong(old, old->next.load(relaxed), acquire)) {
        }
        return old;
    }

private:
    atomic<node*> top_{nullptr};
};

TEST(freezing, lets_a_lock_free_stack_pass) {
    EXPECT_TRUE(passes(freezing(), [] {
        std::array<stack::node, 3> nodes;
        stack shared;
        shared.push(nodes[0]);
        together([&] { shared.push(nodes[1]); }, [&] { shared.pop(); },
                 [&] {
                     shared.push(nodes[2]);
                     shared.pop();
                 });
    }));
}

TEST(freezing, the_stopped_thread_goes_on_when_all_others_have_ended) {
    EXPECT_TRUE(passes(freezing(), [] {
        atomic<int> x{0};
        int ended = 0;
        const auto visit = [&] {
            void* const memory = allocate(8);
            x.fetch_add(1);
            x.fetch_add(1);
            deallocate(memory);
            ++ended;
        };
        together(visit, visit);
        check(ended == 2, "both have ended");
    }));
}

TEST(freezing, stops_a_thread_between_any_two_of_its_steps) {
    std::set<int> seen;
    EXPECT_TRUE(passes(options::sequential(0).freezing(), [&] {
        atomic<int> x{0};
        together(
            [&] {
                for (int count = 0; count < 3; ++count) x.fetch_add(1);
            },
            [&] { seen.insert(x.load()); });
    }));
    EXPECT_EQ(seen, (std::set{0, 1, 2, 3}));
}

} // namespace
} // namespace weft::inline v0::explorer
