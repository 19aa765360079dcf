#include "support/thorough.hpp"

#include <weft/detail/lockfree/split_deque.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// A child is a number. Its thief leaves a token when it is done.
struct slot {
    sync::plain<int> child{-1};
    sync::plain<bool> prepared{false};
    sync::parker done;
};

/// A deque, and how often each child ran.
template <std::size_t Children>
struct fixture {
    std::array<slot, Children> slots;
    detail::split_deque<slot> deque{slots.data()};
    std::array<sync::plain<int>, Children> ran{};

    // The owner.
    slot* push(int child) {
        slot* next = deque.owner_next();
        next->child.write(child);
        next->prepared.write(false);
        deque.owner_push(next);
        return next;
    }
    void share() { deque.owner_share(prepare); }
    void share_all() { deque.owner_share_all(prepare); }
    bool pop(slot* last) { return deque.owner_pop(last) || deque.owner_take_back(); }
    /// Runs the youngest child, or waits until its thief has.
    void join(slot* last) {
        if (pop(last)) {
            run(*last);
            return;
        }
        last->done.park();
        deque.owner_forget_stolen(last);
    }

    // Thieves.
    bool steal(std::uint32_t base = 0) {
        slot* taken = deque.steal_while(base, [] { return true; });
        if (taken == nullptr) return false;
        explorer::check(taken >= slots.data() + base, "nothing below the base is taken");
        explorer::check(taken->prepared.read(), "a slot is prepared before it is shared");
        run(*taken);
        taken->done.unpark();
        return true;
    }

    void run(slot& taken) {
        const int child = taken.child.read();
        explorer::check(child >= 0, "a slot is taken once");
        taken.child.write(-1);
        ++ran[static_cast<std::size_t>(child)].modify();
    }

    void check_each_ran_once() const {
        for (const auto& times : ran) explorer::check(times.read() == 1, "each child runs once");
    }

    static void prepare(slot& each) { each.prepared.write(true); }
};

void private_children() {
    fixture<3> all;
    together(named("owner",
                   [&] {
                       slot* first = all.push(0);
                       slot* second = all.push(1);
                       explorer::check(all.deque.owner_pop(second), "it is private");
                       all.run(*second);
                       slot* third = all.push(2);
                       explorer::check(third == second, "its slot is used again");
                       explorer::check(all.deque.owner_pop(third), "it is private");
                       all.run(*third);
                       explorer::check(all.deque.owner_pop(first), "it is private");
                       all.run(*first);
                       explorer::check(!all.deque.owner_has_private(), "none is left");
                   }),
             named("thief", [&] {
                 explorer::check(!all.steal(), "what is private cannot be stolen");
                 explorer::check(all.deque.shared_count() == 0, "nothing is shared");
             }));
    all.check_each_ran_once();
}

void shared_and_stolen() {
    fixture<1> all;
    together(named("owner",
                   [&] {
                       slot* only = all.push(0);
                       all.share();
                       all.join(only);
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.check_each_ran_once();
}

void half_is_taken_back() {
    fixture<2> all;
    together(named("owner",
                   [&] {
                       slot* first = all.push(0);
                       slot* second = all.push(1);
                       all.share_all();
                       all.join(second);
                       all.join(first);
                   }),
             named("thief", [&] { all.steal(); }));
    all.check_each_ran_once();
}

void the_last_shared_slot() {
    fixture<1> all;
    slot* only = all.push(0);
    all.share();
    together(named("owner", [&] { all.join(only); }), named("thief", [&] { all.steal(); }),
             named("other thief", [&] { all.steal(); }));
    all.check_each_ran_once();
}

void two_thieves() {
    fixture<2> all;
    std::array<bool, 2> stolen{};
    all.push(0);
    all.push(1);
    all.share_all();
    together(named("thief", [&] { stolen[0] = all.steal(); }),
             named("other thief", [&] { stolen[1] = all.steal(); }));
    explorer::check(stolen[0] && stolen[1], "a steal fails only if nothing is left");
    all.check_each_ran_once();
}

void two_thieves_and_taking_back() {
    fixture<2> all;
    slot* first = all.push(0);
    slot* second = all.push(1);
    all.share_all();
    together(named("owner",
                   [&] {
                       all.join(second);
                       all.join(first);
                   }),
             named("thief", [&] { all.steal(); }), named("other thief", [&] { all.steal(); }));
    all.check_each_ran_once();
}

/// A helper steals above a base only; a thief may come in between.
void a_base() {
    fixture<2> all;
    slot* first = all.push(0);
    slot* second = all.push(1);
    all.share_all();
    bool helped = false;
    bool stolen = false;
    together(named("owner",
                   [&] {
                       all.join(second);
                       all.join(first);
                   }),
             named("helper", [&] { helped = all.steal(1); }),
             named("thief", [&] { stolen = all.steal(); }));
    explorer::check(stolen || !helped, "what lies below must have gone first");
    all.check_each_ran_once();
}

/// The slot of a stolen child is used for another: a slow thief takes the child that is there now.
void a_slot_used_again() {
    fixture<3> all;
    together(named("owner",
                   [&] {
                       for (const int child : {0, 1, 2}) {
                           slot* only = all.push(child);
                           all.share();
                           all.join(only);
                       }
                   }),
             named("thief", [&] { all.steal(); }), named("slow thief", [&] { all.steal(); }));
    all.check_each_ran_once();
}

void shared_one_by_one() {
    fixture<3> all;
    together(named("owner",
                   [&] {
                       slot* first = all.push(0);
                       slot* second = all.push(1);
                       slot* third = all.push(2);
                       all.share(); // two of three
                       all.share();
                       all.join(third);
                       all.join(second);
                       all.join(first);
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.check_each_ran_once();
}

void all_shared() {
    fixture<3> all;
    together(named("owner",
                   [&] {
                       all.push(0);
                       all.push(1);
                       all.push(2);
                       all.share_all();
                       explorer::check(!all.deque.owner_has_private(), "all are shared");
                   }),
             named("thief", [&] {
                 while (!all.steal()) explorer::yield();
                 explorer::check(all.steal() && all.steal(), "they came at once");
                 explorer::check(!all.steal(), "there are no more");
             }));
    all.check_each_ran_once();
}

/// What a share leaves private cannot be stolen; what it shares has been prepared.
void the_older_half() {
    fixture<3> all;
    slot* first = all.push(0);
    slot* second = all.push(1);
    slot* third = all.push(2);
    together(named("owner",
                   [&] {
                       all.share();
                       explorer::check(all.deque.owner_pop(third), "the youngest stayed private");
                       explorer::check(!third->prepared.read(), "and was not prepared");
                       all.run(*third);
                       all.join(second);
                       all.join(first);
                   }),
             named("thief", [&] {
                 int stolen = 0;
                 for (int i = 0; i < 3; ++i) stolen += all.steal() ? 1 : 0;
                 explorer::check(stolen <= 2, "two were shared");
             }));
    all.check_each_ran_once();
}

/// While its child is stolen the owner helps, and pushes and shares above the slot.
void children_above_a_stolen_one() {
    fixture<3> all;
    together(named("owner",
                   [&] {
                       slot* stolen = all.push(0);
                       all.share();
                       if (all.pop(stolen)) {
                           all.run(*stolen);
                           stolen = nullptr;
                       }
                       slot* above = all.push(1);
                       explorer::check((stolen == nullptr) == (above == all.slots.data()),
                                       "it lies above what was stolen");
                       all.share();
                       all.join(above);
                       above = all.push(2);
                       all.share();
                       all.join(above);
                       if (stolen != nullptr) {
                           stolen->done.park();
                           all.deque.owner_forget_stolen(stolen);
                       }
                       explorer::check(all.deque.owner_position() == 0, "all is as before");
                   }),
             named("thief", [&] { all.steal(); }), named("other thief", [&] { all.steal(1); }));
    all.check_each_ran_once();
}

/// Some children are run by the owner while older ones are shared, stolen and taken back.
void private_above_shared() {
    fixture<4> all;
    together(named("owner",
                   [&] {
                       slot* first = all.push(0);
                       slot* second = all.push(1);
                       all.share();
                       slot* third = all.push(2);
                       all.join(third);
                       all.join(second);
                       second = all.push(3);
                       all.share_all();
                       all.join(second);
                       all.join(first);
                   }),
             named("thief", [&] {
                 all.steal();
                 all.steal();
             }));
    all.check_each_ran_once();
}

/// Above an older child, the owner runs a task with a child, and then another task whose child is
/// in the same slot. A helper of the first task takes that task's child or none; thieves take
/// anything.
void a_renewal() {
    fixture<3> all;
    sync::atomic<bool> runs{true};
    slot* older = all.push(0);
    all.share();
    slot* next = nullptr;
    together(named("owner",
                   [&] {
                       slot* child = all.push(1);
                       all.share();
                       all.join(child);
                       runs.store(false, sync::relaxed);
                       all.deque.owner_renew();
                       next = all.push(2);
                       all.share();
                   }),
             named("thief", [&] { all.steal(); }), named("helper", [&] {
                 slot* taken = all.deque.steal_while(1, [&] { return runs.load(sync::relaxed); });
                 if (taken == nullptr) return;
                 explorer::check(taken->child.read() == 1, "it is the child of the task");
                 all.run(*taken);
                 taken->done.unpark();
             }));
    all.join(next);
    all.join(older);
    all.check_each_ran_once();
}

/// No thread waits for another: each must end even if another is stopped forever.
void without_waiting() {
    fixture<2> all;
    slot* first = all.push(0);
    slot* second = all.push(1);
    all.share_all();
    together(named("owner",
                   [&] {
                       if (all.pop(second)) all.pop(first);
                   }),
             named("thief", [&] { all.deque.steal(); }),
             named("other thief", [&] { all.deque.steal(); }));
}

TEST(split_deque, private_children_cannot_be_stolen) {
    test::explore_thoroughly("split deque: private children", private_children);
}

TEST(split_deque, a_shared_child_comes_with_its_content) {
    test::explore_thoroughly("split deque: shared and stolen", shared_and_stolen);
}

TEST(split_deque, a_child_is_taken_back_or_stolen) {
    test::explore_thoroughly("split deque: half is taken back", half_is_taken_back);
}

TEST(split_deque, the_last_shared_slot_goes_to_one) {
    test::explore_thoroughly("split deque: the last shared slot", the_last_shared_slot);
}

TEST(split_deque, thieves_share_nothing_and_find_all) {
    test::explore_thoroughly("split deque: two thieves", two_thieves);
}

TEST(split_deque, two_thieves_and_the_owner_share_nothing) {
    test::explore_thoroughly("split deque: two thieves and taking back",
                             two_thieves_and_taking_back);
}

TEST(split_deque, nothing_below_the_base_is_taken) {
    test::explore_thoroughly("split deque: a base", a_base);
}

TEST(split_deque, a_slow_thief_takes_the_current_child) {
    test::explore_thoroughly("split deque: a slot used again", a_slot_used_again);
}

TEST(split_deque, sharing_goes_on_while_thieves_steal) {
    test::explore_thoroughly("split deque: shared one by one", shared_one_by_one);
}

TEST(split_deque, all_may_be_shared_at_once) {
    test::explore_thoroughly("split deque: all shared", all_shared);
}

TEST(split_deque, a_share_gives_away_the_older_half) {
    test::explore_thoroughly("split deque: the older half", the_older_half);
}

TEST(split_deque, the_owner_may_push_above_a_stolen_child) {
    test::explore_thoroughly("split deque: above a stolen child", children_above_a_stolen_one);
}

TEST(split_deque, private_and_shared_children_by_turns) {
    test::explore_thoroughly("split deque: private above shared", private_above_shared);
}

TEST(split_deque, a_helper_takes_nothing_from_after_a_renewal) {
    test::explore_thoroughly("split deque: a renewal", a_renewal);
}

TEST(split_deque, is_lock_free) {
    const auto report =
        explorer::explore("split deque: a thread is stopped",
                          explorer::options::weak(2, 2).freezing(), without_waiting);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(split_deque, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"split deque: shared and stolen", bounds, shared_and_stolen},
        {"split deque: half is taken back", bounds, half_is_taken_back},
        {"split deque: the last shared slot", bounds, the_last_shared_slot},
        {"split deque: shared one by one", bounds, shared_one_by_one},
        {"split deque: a slot used again", bounds, a_slot_used_again},
        {"split deque: a renewal", explorer::options::weak(3, 2), a_renewal},
    };
    EXPECT_EQ(test::survivors(scenarios, "split_deque.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
