// What a contract promises, on one thread: every order of calls has a defined outcome.
#include "conform/cpp/rendezvous.hpp"

#include <weft/contract.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

void run_all(contract_group& group) {
    while (group.try_execute_next()) {
    }
}

TEST(contract, is_run_once_for_each_schedule) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&] { ++runs; });
    EXPECT_FALSE(group.try_execute_next());
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(some.schedule());
        EXPECT_TRUE(group.try_execute_next());
        EXPECT_FALSE(group.try_execute_next());
        EXPECT_EQ(runs, i);
    }
}

TEST(contract, schedules_before_a_run_are_one) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&] { ++runs; });
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(some.schedule());
    run_all(group);
    EXPECT_EQ(runs, 1);
}

TEST(contract, a_schedule_during_the_run_leads_to_one_more) {
    int runs = 0;
    contract_group group;
    std::optional<contract> some;
    some = group.create([&] {
        if (++runs == 1) {
            some->schedule();
            some->schedule();
        }
    });
    some->schedule();
    run_all(group);
    EXPECT_EQ(runs, 2);
}

TEST(contract, may_be_scheduled_from_the_beginning) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&] { ++runs; }, {.scheduled = true});
    run_all(group);
    EXPECT_EQ(runs, 1);
}

TEST(contract, takes_any_callable) {
    int runs = 0;
    contract_group group;
    std::array<int, 50> large{};
    large[49] = 7;
    const auto lvalue = [&runs] { ++runs; };
    std::vector<contract> all;
    all.push_back(group.create([&runs, owned = std::make_unique<int>(1)] { runs += *owned; }));
    all.push_back(group.create([&runs, large](contract_token&) { runs += large[49]; }));
    all.push_back(group.create(lvalue));
    all.push_back(group.create([&runs](auto& token) {
        ++runs;
        token.release();
    }));
    all.push_back(group.create([&runs] { return ++runs; }));
    for (const contract& each : all) each.schedule();
    run_all(group);
    EXPECT_EQ(runs, 11);
}

TEST(contract, work_is_destroyed_after_the_release) {
    contract_group group;
    auto small = std::make_shared<int>(0);
    auto large = std::make_shared<int>(0);
    auto seen = std::make_shared<int>(0);
    {
        const contract one = group.create([small] {}, {.on_release = [seen, small] {
                                              *seen = static_cast<int>(small.use_count());
                                          }});
        const contract other =
            group.create([large, filler = std::array<int, 50>{}] { static_cast<void>(filler); });
    }
    run_all(group);
    EXPECT_EQ(*seen, 3) << "the work is still there in the release callback";
    EXPECT_EQ(small.use_count(), 1);
    EXPECT_EQ(large.use_count(), 1);
}

TEST(contract, release_is_reported_once) {
    int released = 0;
    contract_group group;
    const contract some = group.create([] {}, {.on_release = [&] { ++released; }});
    EXPECT_TRUE(some.valid());
    EXPECT_TRUE(some.release());
    EXPECT_FALSE(some.valid());
    EXPECT_FALSE(some.release());
    EXPECT_EQ(released, 0) << "it is called by the thread that executes";
    run_all(group);
    EXPECT_EQ(released, 1);
    EXPECT_FALSE(some.release());
    run_all(group);
    EXPECT_EQ(released, 1);
}

TEST(contract, schedule_after_release_is_refused) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&] { ++runs; });
    some.release();
    EXPECT_FALSE(some.schedule());
    run_all(group);
    EXPECT_FALSE(some.schedule());
    run_all(group);
    EXPECT_EQ(runs, 0);
}

TEST(contract, what_was_scheduled_is_run_before_the_release) {
    std::string order;
    contract_group group;
    {
        const contract some =
            group.create([&] { order += "run "; }, {.on_release = [&] { order += "release"; }});
        some.schedule();
    } // going out of scope releases
    run_all(group);
    EXPECT_EQ(order, "run release");
}

TEST(contract, a_release_during_the_run_comes_after_it) {
    std::string order;
    contract_group group;
    std::optional<contract> some;
    some = group.create(
        [&] {
            order += "(";
            EXPECT_TRUE(some->release());
            EXPECT_FALSE(some->schedule());
            order += ")";
        },
        {.on_release = [&] { order += " released"; }});
    some->schedule();
    run_all(group);
    EXPECT_EQ(order, "() released");
}

TEST(contract, its_token_schedules_and_releases) {
    std::string order;
    contract_group group;
    const contract some = group.create(
        [&, run = 0](contract_token& token) mutable {
            order += std::to_string(run) + " ";
            if (++run < 3) EXPECT_TRUE(token.schedule());
            else EXPECT_TRUE(token.release());
        },
        {.on_release = [&] { order += "released"; }});
    some.schedule();
    run_all(group);
    EXPECT_EQ(order, "0 1 2 released");
    EXPECT_FALSE(some.valid());
}

TEST(contract, what_the_token_scheduled_before_its_release_is_run) {
    std::string order;
    contract_group group;
    const contract some = group.create(
        [&](contract_token& token) {
            order += "run ";
            token.schedule();
            token.release();
            EXPECT_FALSE(token.schedule());
            EXPECT_FALSE(token.release());
        },
        {.on_release = [&] { order += "released"; }});
    some.schedule();
    EXPECT_TRUE(group.try_execute_next());
    run_all(group);
    EXPECT_EQ(order, "run run released");
}

TEST(contract, a_token_in_the_release_callback_does_nothing) {
    int runs = 0;
    int released = 0;
    contract_group group;
    contract some = group.create([&] { ++runs; }, {.on_release = [&](contract_token& token) {
                                     EXPECT_FALSE(token.schedule());
                                     EXPECT_FALSE(token.release());
                                     ++released;
                                 }});
    some.release();
    run_all(group);
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(released, 1);
}

TEST(contract, an_empty_handle_does_nothing) {
    contract none;
    EXPECT_FALSE(none.valid());
    EXPECT_FALSE(none.schedule());
    EXPECT_FALSE(none.release());
    none.set_priority(priority::high);
    contract_group group;
    contract some = group.create([] {});
    none = std::move(some);
    EXPECT_FALSE(some.valid()); // NOLINT(bugprone-use-after-move): empty, as documented
    EXPECT_TRUE(none.valid());
}

TEST(contract, assigning_releases_the_old_one) {
    std::string order;
    contract_group group;
    contract some = group.create([] {}, {.on_release = [&] { order += "a"; }});
    some = group.create([] {}, {.on_release = [&] { order += "b"; }});
    run_all(group);
    EXPECT_EQ(order, "a");
}

TEST(contract, a_stale_handle_does_not_touch_the_next_contract_in_its_place) {
    int runs = 0;
    contract_group group{1};
    auto old = std::make_unique<contract>(group.create([] {}));
    old->release();
    run_all(group);
    // As long as there is a handle its place is not used again.
    EXPECT_EQ(error_of([&] { static_cast<void>(group.create([] {})); }), "full");
    EXPECT_FALSE(old->schedule());
    old.reset();
    const contract next = group.create([&] { ++runs; });
    run_all(group);
    EXPECT_EQ(runs, 0);
    next.schedule();
    run_all(group);
    EXPECT_EQ(runs, 1);
}

TEST(contract, may_outlive_its_group) {
    contract some;
    int released = 0;
    {
        contract_group group;
        some = group.create([] {}, {.on_release = [&] { ++released; }});
    }
    EXPECT_EQ(released, 1);
    EXPECT_FALSE(some.schedule());
    EXPECT_FALSE(some.release());
    EXPECT_FALSE(some.valid());
    some.set_priority(priority::low);
}

TEST(contract, may_create_schedule_and_release_others) {
    contract_group group;
    std::vector<contract> made;
    std::string order;
    const contract maker = group.create([&] {
        made.push_back(
            group.create([&] { order += "made "; }, {.on_release = [&] { order += "released"; }}));
        made.back().schedule();
        made.back().release();
    });
    maker.schedule();
    run_all(group);
    EXPECT_EQ(order, "made released");
}

TEST(contract, executing_inside_a_contract_is_allowed) {
    std::string order;
    contract_group group;
    const contract inner = group.create([&] { order += "inner "; });
    const contract outer = group.create([&] {
        inner.schedule();
        EXPECT_TRUE(group.try_execute_next());
        order += "outer";
    });
    outer.schedule();
    run_all(group);
    EXPECT_EQ(order, "inner outer");
}

} // namespace
} // namespace weft
