// What a group of contracts promises: limits, ends, errors, waiting, priorities.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

std::string message_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    }
}

TEST(contract_group, grows_without_a_limit) {
    contract_group group;
    constexpr std::size_t many = 5000;
    std::size_t runs = 0;
    std::vector<contract> all;
    for (std::size_t i = 0; i < many; ++i) all.push_back(group.create([&] { ++runs; }));
    for (const contract& each : all) each.schedule();
    EXPECT_EQ(group.execute_some(2 * many), many);
    EXPECT_EQ(runs, many);
    EXPECT_EQ(group.size(), many);
}

/// Also the first one after the group has grown.
TEST(contract_group, runs_what_has_just_been_created) {
    contract_group group;
    int runs = 0;
    std::vector<contract> all;
    for (int i = 1; i <= 2100; ++i) {
        all.push_back(group.create([&] { ++runs; }, {.scheduled = true}));
        EXPECT_TRUE(group.try_execute_next());
        ASSERT_EQ(runs, i);
    }
}

TEST(contract_group, that_is_full_says_so) {
    contract_group group{3};
    std::vector<contract> all;
    for (int i = 0; i < 3; ++i) all.push_back(group.create([] {}));
    EXPECT_EQ(error_of([&] { static_cast<void>(group.create([] {})); }), "full");
    all.pop_back();
    EXPECT_EQ(error_of([&] { static_cast<void>(group.create([] {})); }), "full")
        << "its release has not run";
    EXPECT_TRUE(group.try_execute_next());
    all.push_back(group.create([] {}));
    EXPECT_EQ(group.size(), 3U);
}

TEST(contract_group, with_a_limit_has_all_its_memory_at_once) {
    for (const std::size_t limit : {1U, 64U, 1024U, 5000U}) {
        contract_group group{limit};
        const std::size_t reserved = group.memory();
        std::vector<contract> all;
        for (std::size_t i = 0; i < limit; ++i) all.push_back(group.create([] {}));
        EXPECT_EQ(group.memory(), reserved) << limit;
        EXPECT_GE(reserved, limit * 64);
        EXPECT_LE(reserved, 2 * limit * 70 + 10'000) << "at most twice as much as is needed";
    }
}

TEST(contract_group, executes_as_many_as_it_is_asked_to) {
    contract_group group;
    std::vector<contract> all;
    int runs = 0;
    for (int i = 0; i < 100; ++i) {
        all.push_back(group.create([&] { ++runs; }, {.scheduled = true}));
    }
    EXPECT_EQ(group.execute_some(7), 7U);
    EXPECT_EQ(runs, 7);
    EXPECT_EQ(group.execute_some(0), 0U);
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_EQ(runs, 8);
    EXPECT_EQ(group.execute_some(1000), 92U);
}

/// What one thread has not run, another may: no claim is kept between calls.
TEST(contract_group, keeps_nothing_between_calls) {
    contract_group group;
    std::vector<contract> all;
    std::atomic<int> runs{0};
    for (int i = 0; i < 32; ++i) {
        all.push_back(group.create([&] { ++runs; }, {.scheduled = true}));
    }
    EXPECT_EQ(group.execute_some(1), 1U);
    std::jthread{[&] { EXPECT_EQ(group.execute_some(100), 31U); }}.join();
    EXPECT_EQ(runs, 32);
}

TEST(contract_group, in_a_round_each_is_run_once) {
    for (const std::size_t count : {1U, 17U, 32U, 33U, 100U, 1000U}) {
        std::vector<int> runs(count);
        contract_group group;
        std::vector<contract> all;
        for (int& each : runs) {
            all.push_back(group.create(
                [&each](contract_token& token) {
                    ++each;
                    token.schedule();
                },
                {.scheduled = true}));
        }
        for (int i = 0; i < 3; ++i) EXPECT_EQ(group.execute_some(count), count);
        for (std::size_t i = 0; i < 4 * count; ++i) EXPECT_TRUE(group.try_execute_next());
        EXPECT_EQ(std::ranges::min(runs), 7) << count;
        EXPECT_EQ(std::ranges::max(runs), 7) << count;
        group.stop(on_stop::cancel);
    }
}

TEST(contract_group, fairness_is_not_disturbed_by_another_group) {
    std::vector<int> runs(64 + 17);
    contract_group group;
    contract_group other;
    std::vector<contract> all;
    for (int& each : runs) {
        all.push_back(group.create(
            [&each](contract_token& token) {
                ++each;
                token.schedule();
            },
            {.scheduled = true}));
    }
    for (std::size_t i = 0; i < 10 * runs.size(); ++i) {
        EXPECT_TRUE(group.try_execute_next());
        EXPECT_FALSE(other.try_execute_next());
    }
    EXPECT_EQ(std::ranges::min(runs), 10);
    EXPECT_EQ(std::ranges::max(runs), 10);
    group.stop(on_stop::cancel);
}

// Ends

TEST(contract_group, its_end_runs_what_is_due_and_every_release) {
    std::string order;
    std::vector<contract> all;
    {
        contract_group group;
        for (int i = 0; i < 3; ++i) {
            all.push_back(group.create([&] { order += "r"; },
                                       {.on_release = [&] { order += "x"; }, .scheduled = i != 1}));
        }
    }
    EXPECT_EQ(std::ranges::count(order, 'r'), 2);
    EXPECT_EQ(std::ranges::count(order, 'x'), 3);
}

TEST(contract_group, may_end_without_running_what_is_due) {
    int runs = 0;
    int released = 0;
    std::vector<contract> all;
    {
        contract_group group{contract_group_options{.at_end = on_stop::cancel}};
        for (int i = 0; i < 3; ++i) {
            all.push_back(group.create([&] { ++runs; },
                                       {.on_release = [&] { ++released; }, .scheduled = true}));
        }
    }
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(released, 3);
}

TEST(contract_group, takes_no_more_once_it_is_stopped) {
    int released = 0;
    contract_group group;
    const contract some = group.create([] {}, {.on_release = [&] { ++released; }});
    group.stop();
    EXPECT_EQ(released, 1);
    EXPECT_EQ(group.size(), 0U);
    EXPECT_FALSE(some.schedule());
    EXPECT_EQ(error_of([&] { static_cast<void>(group.create([] {})); }), "stopped");
    group.stop();
    EXPECT_FALSE(group.execute_next_or_wait()) << "there will be no more";
    EXPECT_EQ(released, 1);
}

TEST(contract_group, that_reschedules_itself_can_be_stopped) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        int released = 0;
        contract_group group;
        const contract some = group.create([](contract_token& token) { token.schedule(); },
                                           {.on_release = [&] { ++released; }, .scheduled = true});
        group.execute_some(10);
        group.stop(mode);
        EXPECT_EQ(released, 1);
    }
}

TEST(contract_group, cannot_be_stopped_or_waited_for_from_inside) {
    std::vector<std::string> errors;
    contract_group group;
    const contract some = group.create([&] {
        errors.push_back(error_of([&] { group.stop(); }));
        errors.push_back(error_of([&] { group.wait(); }));
    });
    some.schedule();
    group.try_execute_next();
    EXPECT_EQ(errors, (std::vector<std::string>{"would_deadlock", "would_deadlock"}));
}

// Errors

TEST(contract_group, an_exception_goes_to_the_contracts_handler_first) {
    std::string to_group;
    std::string to_contract;
    contract_group group{contract_group_options{
        .on_error = [&](const std::exception_ptr& thrown) { to_group += message_of(thrown); }}};
    const contract with_handler = group.create(
        [] { throw std::runtime_error{"a"}; },
        {.on_error = [&](const std::exception_ptr& thrown) { to_contract += message_of(thrown); }});
    const contract without_handler = group.create([] { throw std::runtime_error{"b"}; });
    for (int i = 0; i < 2; ++i) {
        with_handler.schedule();
        without_handler.schedule();
        EXPECT_EQ(group.execute_some(10), 2U);
    }
    EXPECT_EQ(to_contract, "aa");
    EXPECT_EQ(to_group, "bb") << "a contract that threw can be run again";
    group.wait();
}

TEST(contract_group, an_exception_without_a_handler_ends_wait) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&] {
        if (++runs <= 2) throw std::runtime_error{std::to_string(runs)};
    });
    some.schedule();
    EXPECT_THROW(group.wait(), std::runtime_error);
    some.schedule();
    some.schedule();
    EXPECT_THROW(group.wait(), std::runtime_error);
    some.schedule();
    group.wait();
    EXPECT_EQ(runs, 3);
}

TEST(contract_group, an_exception_ends_wait_while_something_is_due) {
    contract_group group;
    int runs = 0;
    const contract some = group.create([&](contract_token& token) {
        if (++runs < 1000) token.schedule();
        if (runs == 1) throw std::runtime_error{"no luck"};
    });
    some.schedule();
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_LT(runs, 1000);
    group.wait();
    EXPECT_EQ(runs, 1000);
}

TEST(contract_group, all_exceptions_come_out_the_oldest_first) {
    int runs = 0;
    contract_group group;
    const contract some = group.create([&](contract_token& token) {
        if (++runs < 3) token.schedule();
        throw std::runtime_error{std::to_string(runs)};
    });
    some.schedule();
    EXPECT_EQ(group.execute_some(3), 3U);
    std::string messages;
    for (int i = 0; i < 3; ++i) {
        try {
            group.wait();
        } catch (const std::runtime_error& thrown) {
            messages += thrown.what();
        }
    }
    EXPECT_EQ(messages, "123");
    group.wait();
}

TEST(contract_group, an_exception_of_the_release_callback_is_not_lost) {
    std::string seen;
    contract_group group{contract_group_options{
        .on_error = [&](const std::exception_ptr& thrown) { seen += message_of(thrown); }}};
    contract some =
        group.create([] {}, {.on_release = [] { throw std::runtime_error{"release"}; }});
    some.release();
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_EQ(seen, "release");
    EXPECT_EQ(group.size(), 0U);
}

TEST(contract_group, an_exception_that_nobody_asked_for_goes_to_the_pool) {
    std::string seen;
    pool workers{pool_options{.workers = 2, .on_error = [&](const std::exception_ptr& thrown) {
                                  seen += message_of(thrown);
                              }}};
    {
        contract_group group{workers};
        const contract some = group.create([] { throw std::runtime_error{"lost?"}; });
        some.schedule();
    }
    EXPECT_EQ(seen, "lost?");
}

TEST(contract_group_death, an_exception_that_nobody_asked_for_ends_the_program) {
    if (WEFT_THREAD_SANITIZED) GTEST_SKIP() << "the sanitizer has its own idea of a child's end";
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            contract_group group;
            const contract some = group.create([] { throw std::runtime_error{"x"}; });
            some.schedule();
            group.try_execute_next();
        },
        "nobody waited for its group");
}

// Waiting

TEST(contract_group, waits_for_what_is_due) {
    std::atomic<int> runs{0};
    contract_group group;
    const contract some = group.create([&] { ++runs; });
    std::jthread scheduler{[&] { some.schedule(); }};
    EXPECT_TRUE(group.execute_next_or_wait());
    EXPECT_EQ(runs, 1);
}

TEST(contract_group, waits_no_longer_than_its_timeout) {
    contract_group group;
    const contract some = group.create([] {});
    EXPECT_FALSE(group.execute_next_or_wait(1ms));
    EXPECT_FALSE(group.execute_next_or_wait(0ms));
    some.schedule();
    EXPECT_TRUE(group.execute_next_or_wait(std::chrono::hours{1'000'000}));
}

TEST(contract_group, a_wait_ends_when_the_group_is_stopped) {
    contract_group group;
    std::jthread waiter{[&] { EXPECT_FALSE(group.execute_next_or_wait()); }};
    std::jthread timed{[&] { EXPECT_FALSE(group.execute_next_or_wait(std::chrono::hours{1})); }};
    group.stop();
}

TEST(contract_group, many_waiters_run_all_that_is_scheduled) {
    contract_group group;
    constexpr int each = 500;
    std::atomic<int> runs{0};
    std::vector<contract> all;
    for (int i = 0; i < 4; ++i) all.push_back(group.create([&] { ++runs; }));
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 4; ++i) {
        waiters.emplace_back([&] {
            while (group.execute_next_or_wait()) {
            }
        });
    }
    for (int i = 1; i <= each; ++i) {
        const contract& some = all[static_cast<std::size_t>(i) % all.size()];
        some.schedule();
        spin_until([&] { return runs == i; });
    }
    group.stop();
}

TEST(contract_group, wait_returns_when_nothing_is_due_and_nothing_runs) {
    std::atomic<int> runs{0};
    pool workers{2};
    contract_group group{workers};
    const contract some = group.create([&](contract_token& token) {
        if (++runs % 100 != 0) token.schedule();
    });
    for (int i = 1; i <= 20; ++i) {
        some.schedule();
        group.wait();
        EXPECT_EQ(runs, i * 100);
    }
}

// Priorities

TEST(contract_group, high_priority_comes_first) {
    std::string order;
    contract_group group;
    std::vector<contract> all;
    for (const priority urgency : {priority::low, priority::normal, priority::high}) {
        const char name = "hnl"[static_cast<std::size_t>(urgency)];
        all.push_back(group.create([&order, name] { order += name; },
                                   {.priority = urgency, .scheduled = true}));
    }
    while (group.try_execute_next()) {
    }
    EXPECT_EQ(order, "hnl");
}

TEST(contract_group, a_priority_may_be_changed_while_a_run_is_due) {
    std::string order;
    contract_group group;
    const contract first = group.create([&] { order += "a"; }, {.scheduled = true});
    const contract second = group.create([&] { order += "b"; }, {.scheduled = true});
    second.set_priority(priority::high);
    first.set_priority(priority::low);
    while (group.try_execute_next()) {
    }
    EXPECT_EQ(order, "ba");
    first.set_priority(priority::high);
    second.set_priority(priority::normal);
    first.schedule();
    second.schedule();
    while (group.try_execute_next()) {
    }
    EXPECT_EQ(order, "baab");
}

TEST(contract_group, no_class_starves) {
    contract_group group;
    std::array<int, 3> runs{};
    std::vector<contract> all;
    for (std::size_t i = 0; i < 3; ++i) {
        all.push_back(group.create(
            [&runs, i](contract_token& token) {
                ++runs[i];
                token.schedule();
            },
            {.priority = static_cast<priority>(i), .scheduled = true}));
    }
    group.execute_some(2100);
    EXPECT_EQ(runs[0], 1600);
    EXPECT_EQ(runs[1], 400);
    EXPECT_EQ(runs[2], 100);
    group.stop(on_stop::cancel);
}

} // namespace
} // namespace weft
