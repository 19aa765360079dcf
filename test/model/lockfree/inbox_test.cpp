#include "support/thorough.hpp"

#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// An item whose link and content are watched: a wrong access to either is reported.
struct item {
    class link {
    public:
        link& operator=(item* target) {
            target_.write(target);
            return *this;
        }
        operator item*() const { return target_.read(); }

    private:
        sync::plain<item*> target_{nullptr};
    };

    explicit item(int value) : number{value} {}
    link next;
    sync::plain<int> number;
};

/// The inbox, and how often each number came out.
template <std::size_t Count>
struct fixture {
    detail::inbox<item> inbox;
    std::array<int, Count> taken{};

    bool push(int number) { return inbox.push(sync::make<item>(number)); }
    /// The numbers that were there, the oldest first; the items are freed at once.
    std::vector<int, explorer::allocator<int>> take() {
        std::vector<int, explorer::allocator<int>> numbers;
        for (item* each = inbox.take_all(); each != nullptr;) {
            item* after = each->next;
            numbers.push_back(each->number.read());
            ++taken[static_cast<std::size_t>(numbers.back())];
            sync::destroy(each);
            each = after;
        }
        return numbers;
    }
    void finish() {
        take();
        explorer::check(inbox.empty(), "nothing is left");
        for (const int times : taken) explorer::check(times == 1, "each item is taken once");
    }
};

void one_pushes_one_takes() {
    fixture<2> all;
    together(named("pusher",
                   [&] {
                       all.push(0);
                       all.push(1);
                   }),
             named("taker", [&] {
                 all.take();
                 all.take();
             }));
    all.finish();
}

void two_push() {
    fixture<2> all;
    together(named("pusher", [&] { all.push(0); }), named("other pusher", [&] { all.push(1); }));
    explorer::check(all.take().size() == 2, "both are there");
    all.finish();
}

void two_push_one_takes() {
    fixture<2> all;
    together(named("pusher", [&] { all.push(0); }), named("other pusher", [&] { all.push(1); }),
             named("taker", [&] { all.take(); }));
    all.finish();
}

void two_take() {
    fixture<2> all;
    all.push(0);
    all.push(1);
    std::size_t first = 0;
    std::size_t second = 0;
    together(named("taker", [&] { first = all.take().size(); }),
             named("other taker", [&] { second = all.take().size(); }));
    explorer::check(first + second == 2, "all are taken");
    explorer::check(first == 0 || second == 0, "all go to one taker");
    all.finish();
}

void two_take_while_one_pushes() {
    fixture<2> all;
    all.push(0);
    together(named("pusher", [&] { all.push(1); }), named("taker", [&] { all.take(); }),
             named("other taker", [&] { all.take(); }));
    all.finish();
}

void in_order() {
    fixture<3> all;
    int last = -1;
    const auto take = [&] {
        for (const int number : all.take()) {
            explorer::check(number == last + 1, "the oldest comes first");
            last = number;
        }
    };
    together(named("pusher",
                   [&] {
                       for (const int number : {0, 1, 2}) all.push(number);
                   }),
             named("taker", [&] {
                 take();
                 take();
             }));
    take();
    all.finish();
}

/// Exactly the push that finds the inbox empty says so.
void two_push_into_an_empty_inbox() {
    fixture<2> all;
    bool first = false;
    bool second = false;
    together(named("pusher", [&] { first = all.push(0); }),
             named("other pusher", [&] { second = all.push(1); }));
    explorer::check(first != second, "one was the first");
    all.finish();
}

void pushed_after_a_take() {
    fixture<2> all;
    bool second = false;
    std::size_t taken = 0;
    all.push(0);
    together(named("pusher", [&] { second = all.push(1); }),
             named("taker", [&] { taken = all.take().size(); }));
    explorer::check(second == (taken == 1), "it was the first if the other had been taken");
    all.finish();
}

/// The same item, taken and pushed again while another push is under way and has seen it.
void pushed_again() {
    detail::inbox<item> inbox;
    item first{1};
    item second{2};
    int sum = 0;
    const auto take = [&] {
        for (item* each = inbox.take_all(); each != nullptr; each = each->next) {
            sum += each->number.read();
        }
    };
    inbox.push(&first);
    together(named("taker",
                   [&] {
                       item* taken = inbox.take_all();
                       item* oldest = taken;
                       while (taken != nullptr) {
                           item* after = taken->next;
                           inbox.push(taken);
                           taken = after;
                       }
                       explorer::check(oldest == &first, "the oldest comes first");
                   }),
             named("pusher", [&] { inbox.push(&second); }));
    take();
    explorer::check(sum == 3, "each is found once");
}

void none() {
    fixture<1> all;
    together(named("taker", [&] { explorer::check(all.take().empty(), "there is none"); }),
             named("other taker", [&] { explorer::check(all.take().empty(), "there is none"); }));
    all.push(0);
    explorer::check(!all.inbox.empty(), "there is one");
    all.finish();
}

/// A taker that waits gets the item eventually.
void waiting_for_one() {
    fixture<1> all;
    together(named("pusher", [&] { all.push(0); }), named("taker", [&] {
                 while (all.inbox.empty()) explorer::yield();
                 explorer::check(all.take().size() == 1, "what was seen is taken");
             }));
    all.finish();
}

void seen_empty() {
    fixture<1> all;
    sync::plain<bool> known{false};
    all.push(0);
    together(named("taker",
                   [&] {
                       known.write(true);
                       all.take();
                   }),
             named("observer", [&] {
                 if (all.inbox.empty()) explorer::check(known.read(), "what the taker did is seen");
             }));
    all.finish();
}

TEST(inbox, hands_over_what_was_pushed) {
    test::explore_thoroughly("inbox: one pushes, one takes", one_pushes_one_takes);
}

TEST(inbox, pushes_do_not_lose_each_other) {
    test::explore_thoroughly("inbox: two push", two_push);
}

TEST(inbox, two_push_while_one_takes) {
    test::explore_thoroughly("inbox: two push, one takes", two_push_one_takes);
}

TEST(inbox, all_items_go_to_one_taker) { test::explore_thoroughly("inbox: two take", two_take); }

TEST(inbox, takers_share_nothing) {
    test::explore_thoroughly("inbox: two take while one pushes", two_take_while_one_pushes);
}

TEST(inbox, the_oldest_comes_first) { test::explore_thoroughly("inbox: in order", in_order); }

TEST(inbox, one_push_finds_it_empty) {
    test::explore_thoroughly("inbox: two push into an empty inbox", two_push_into_an_empty_inbox);
}

TEST(inbox, a_push_after_a_take_finds_it_empty) {
    test::explore_thoroughly("inbox: pushed after a take", pushed_after_a_take);
}

TEST(inbox, a_taken_item_may_be_pushed_again) {
    test::explore_thoroughly("inbox: pushed again", pushed_again);
}

TEST(inbox, nothing_is_taken_from_an_empty_inbox) { test::explore_thoroughly("inbox: none", none); }

TEST(inbox, what_is_seen_can_be_taken) {
    test::explore_thoroughly("inbox: waiting for one", waiting_for_one);
}

TEST(inbox, an_empty_inbox_shows_what_came_before) {
    test::explore_thoroughly("inbox: seen empty", seen_empty);
}

TEST(inbox, is_lock_free) {
    const auto report = explorer::explore(
        "inbox: a thread is stopped", explorer::options::weak(2, 2).freezing(), two_push_one_takes);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(inbox, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"inbox: one pushes, one takes", bounds, one_pushes_one_takes},
        {"inbox: two push", bounds, two_push},
        {"inbox: two take", bounds, two_take},
        {"inbox: seen empty", bounds, seen_empty},
    };
    EXPECT_EQ(test::survivors(scenarios, "inbox.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
