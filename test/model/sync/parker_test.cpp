#include "support/thorough.hpp"

#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>

#include <chrono>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using namespace std::chrono_literals;

/// The parker that runs on the machine, here over the explorer's futex.
using parker = sync::basic_parker<sync::futex_waiting>;

void written_before_unpark() {
    parker owner;
    sync::plain<int> data{0};
    together(named("owner",
                   [&] {
                       owner.park();
                       explorer::check(data.read() == 1, "the waker's write is seen");
                   }),
             named("waker", [&] {
                 data.write(1);
                 owner.unpark();
             }));
}

/// Two wakers, each announcing itself by a relaxed store: only the tokens order the stores.
void until_both_have_come() {
    parker owner;
    sync::atomic<int> first{0};
    sync::atomic<int> second{0};
    const auto come = [&owner](sync::atomic<int>& flag) {
        return [&] {
            flag.store(1, sync::relaxed);
            owner.unpark();
        };
    };
    together(named("owner",
                   [&] {
                       while (first.load(sync::relaxed) == 0 || second.load(sync::relaxed) == 0) {
                           owner.park();
                       }
                   }),
             named("waker", come(first)), named("other waker", come(second)));
}

void two_parks_in_a_row() {
    parker owner;
    parker other;
    sync::plain<int> data{0};
    together(named("owner",
                   [&] {
                       owner.park();
                       data.write(data.read() + 1);
                       other.unpark();
                       owner.park();
                       explorer::check(data.read() == 2, "turns are taken");
                   }),
             named("other", [&] {
                 owner.unpark();
                 other.park();
                 data.write(data.read() + 1);
                 owner.unpark();
             }));
}

void tokens_that_came_before() {
    parker owner;
    together(named("waker",
                   [&] {
                       owner.unpark();
                       owner.unpark();
                   }),
             named("owner", [&] { owner.park(); }));
    owner.unpark();
    explorer::check(owner.park_for(1ms), "a token that came before is taken");
    explorer::check(!owner.park_for(1ms), "tokens do not add up");
}

void a_token_at_the_deadline() {
    parker owner;
    sync::plain<int> data{0};
    bool in_time = false;
    together(named("owner",
                   [&] {
                       in_time = owner.park_for(1ms);
                       if (in_time) explorer::check(data.read() == 1, "the write is seen");
                   }),
             named("waker", [&] {
                 data.write(1);
                 owner.unpark();
             }));
    explorer::check(in_time != owner.park_for(1ms), "the token is taken once, not lost");
}

std::vector<explorer::scenario> all_weak() {
    const explorer::options bounds = explorer::options::weak(2, 2);
    return {{"parker: written before unpark", bounds, written_before_unpark},
            {"parker: until both have come", bounds, until_both_have_come},
            {"parker: two parks in a row", bounds, two_parks_in_a_row},
            {"parker: a token at the deadline", bounds, a_token_at_the_deadline}};
}

TEST(parker, what_came_before_an_unpark_is_seen_after_park) {
    test::explore_thoroughly("parker: written before unpark", written_before_unpark);
}

TEST(parker, no_wake_up_is_lost) {
    test::explore_thoroughly("parker: until both have come", until_both_have_come);
}

TEST(parker, may_be_used_again) {
    test::explore_thoroughly("parker: two parks in a row", two_parks_in_a_row);
}

TEST(parker, tokens_do_not_add_up) {
    test::explore_thoroughly("parker: tokens that came before", tokens_that_came_before);
}

TEST(parker, a_token_that_comes_at_the_deadline_is_taken) {
    test::explore_thoroughly("parker: a token at the deadline", a_token_at_the_deadline);
}

TEST(parker, unpark_is_wait_free) {
    const auto report = explorer::explore("parker: two wakers, one stopped",
                                          explorer::options::weak(2, 2).freezing(), [] {
                                              parker owner;
                                              together(named("waker", [&] { owner.unpark(); }),
                                                       named("other", [&] { owner.unpark(); }));
                                          });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(parker, every_mutant_is_caught) {
    EXPECT_EQ(test::survivors(all_weak(), "parker.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
