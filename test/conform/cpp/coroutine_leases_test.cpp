// Coroutines that hold resources across their waits.
#include "conform/cpp/coroutine_helpers.hpp"
#include "conform/cpp/failure_chain.hpp"

#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::coroutine_leases_test {
namespace {

using namespace test;

task<int> move_money(resource<int>& from, resource<int>& to, int amount) {
    auto held = co_await when(from, to);
    held.get<0>() -= amount;
    co_await yield();
    held.get<1>() += amount;
    co_return held.get<0>();
}
task<int> read_both(resource<int>& first, resource<int>& second) {
    const auto held = co_await when(read(first), read(second));
    static_assert(std::is_same_v<decltype(held.get<0>()), const int&>);
    co_return held.get<0>() + held.get<1>();
}

TEST(coroutine_lease, has_the_resources_across_waits) {
    pool workers{2};
    resource<int> first{100};
    resource<int> second{0};
    std::vector<future<int>> transfers;
    for (int i = 0; i < 500; ++i) {
        transfers.push_back(workers.submit(move_money(first, second, 1)));
        transfers.push_back(workers.submit(move_money(second, first, 1)));
        EXPECT_EQ(workers.run(read_both(first, second)), 100);
    }
    for (future<int>& each : transfers) each.get();
    EXPECT_EQ(workers.run(read_both(second, first)), 100);
}

task<int> hold_during(resource<int>& held, manual_operation& awaited) {
    auto lease = co_await when(held);
    const int arrived = co_await awaited;
    lease.get<0>() = arrived;
    co_return lease.get<0>();
}

TEST(coroutine_lease, is_kept_while_no_thread_waits) {
    pool workers{1};
    resource<int> held{0};
    manual_operation manual;
    auto holder = workers.submit(hold_during(held, manual));
    manual.started.await();
    workers.wait_idle(); // no thread waits
    auto behind = when(held).submit(workers, [](int& value) { return value; });
    workers.wait_idle();
    EXPECT_FALSE(behind.ready());
    manual.finish();
    EXPECT_EQ(behind.get(), 7);
    EXPECT_EQ(holder.get(), 7);
}

TEST(coroutine_lease, ends_early_on_release) {
    pool workers{1};
    resource<int> held{0};
    manual_operation manual;
    auto holder = workers.submit([](resource<int>& wanted, manual_operation& over) -> task<> {
        auto lease = co_await when(wanted);
        EXPECT_TRUE(lease);
        lease.release();
        EXPECT_FALSE(lease);
        EXPECT_EQ(error_of([&] { static_cast<void>(lease.get<0>()); }), "invalid_argument");
        EXPECT_EQ(error_of([&] { lease.apply([](int&) {}); }), "invalid_argument");
        lease.release();
        co_await over;
    }(held, manual));
    EXPECT_EQ(when(held).submit(workers, [](int& value) { return ++value; }).get(), 1);
    manual.finish();
    holder.get();
}

task<int> use_all_kinds(resource<int>& number, limit& places, key_space& keys,
                        std::vector<std::unique_ptr<resource<int>>>& many) {
    int sum = 0;
    {
        const auto held = co_await when(take(places, 2), number, keys("a"), read(keys("b")));
        sum += held.get<0>();
        held.apply([&](int& value) { sum += value; });
    }
    {
        const auto held = co_await when(many);
        held.apply([&](std::span<int* const> all) {
            for (const int* each : all) sum += *each;
        });
    }
    {
        const auto nothing_named = co_await when();
        nothing_named.apply([&] { ++sum; });
    }
    co_return sum;
}

TEST(coroutine_lease, takes_whatever_when_takes) {
    pool workers{2};
    resource<int> number{10};
    limit places{3};
    key_space keys{16};
    std::vector<std::unique_ptr<resource<int>>> many;
    for (int i = 0; i < 8; ++i) many.push_back(std::make_unique<resource<int>>(i));
    EXPECT_EQ(workers.run(use_all_kinds(number, places, keys, many)), 49);
}

task<> take_too_much(limit& places) { const auto held = co_await when(take(places, 9)); }

TEST(coroutine_lease, refuses_what_when_refuses) {
    pool workers{1};
    limit places{3};
    EXPECT_EQ(error_of([&] { workers.run(take_too_much(places)); }), "overweight");
}

TEST(coroutine_lease, is_passed_on_by_an_exception) {
    pool workers{1};
    resource<int> held{0};
    EXPECT_THROW(workers.run([](resource<int>& wanted) -> task<> {
        const auto lease = co_await when(wanted);
        throw std::runtime_error{"while holding"};
    }(held)),
                 std::runtime_error);
    EXPECT_EQ(when(held).submit(workers, [](int& value) { return ++value; }).get(), 1);
}

// What a holder must not wait for

task<std::string> name_again(resource<int>& first, resource<int>& second) {
    const auto held = co_await when(first);
    try {
        const auto more = co_await when(second);
    } catch (const error& thrown) {
        co_return std::string{name_of(thrown.code())};
    }
    co_return "none";
}
task<std::string> name_in_child(resource<int>& first, resource<int>& second) {
    const auto held = co_await when(first);
    co_return co_await name_again(second, first);
}
task<std::string> name_in_branch(resource<int>& first, resource<int>& second) {
    const auto held = co_await when(first);
    try {
        co_await when_all(name_again(second, first), one());
    } catch (const error& thrown) {
        co_return std::string{name_of(thrown.code())};
    }
    co_return "none";
}
task<std::string> name_afterwards(resource<int>& first, resource<int>& second) {
    auto held = co_await when(first);
    held.release();
    co_return co_await name_again(second, first);
}

TEST(coroutine_lease, forbids_another_wait_for_resources) {
    pool workers{1};
    resource<int> first{0};
    resource<int> second{0};
    EXPECT_EQ(workers.run(name_again(first, second)), "would_deadlock");
    EXPECT_EQ(error_of([&] { workers.run(name_in_child(first, second)); }), "would_deadlock");
    EXPECT_EQ(workers.run(name_in_branch(first, second)), "would_deadlock");
    EXPECT_EQ(workers.run(name_afterwards(first, second)), "would_deadlock");
}

template <class T>
task<std::string> await_while_holding(resource<int>& held, future<T> awaited) {
    const auto lease = co_await when(held);
    try {
        static_cast<void>(co_await awaited);
    } catch (const error& thrown) {
        co_return std::string{name_of(thrown.code())};
    }
    co_return "none";
}

TEST(coroutine_lease, forbids_waits_for_what_may_need_resources) {
    pool workers{1};
    resource<int> held{0};
    completion<int> later{workers};
    EXPECT_EQ(workers.run(await_while_holding(held, later.get_future())), "would_deadlock");
    later.complete(1);
    auto needs_it = when(held).submit(workers, [](int& value) { return value; });
    EXPECT_EQ(needs_it.get(), 0);
    manual_operation manual;
    auto other = workers.submit(
        [](manual_operation& over) -> task<int> { co_return co_await over; }(manual));
    EXPECT_EQ(workers.run(await_while_holding(held, std::move(other))), "would_deadlock");
    manual.finish();
    workers.wait_idle(); // its future was dropped
}

TEST(coroutine_lease, allows_waits_for_plain_tasks_and_for_what_is_ready) {
    pool workers{1};
    resource<int> held{0};
    EXPECT_EQ(workers.run(await_while_holding(held, workers.submit([] { return 1; }))), "none");
    completion<int> done{workers};
    future<int> ready = done.get_future();
    done.complete(1);
    EXPECT_EQ(workers.run(await_while_holding(held, std::move(ready))), "none");
}

task<std::string> try_while_holding(resource<int>& first, resource<int>& free,
                                    resource<int>& taken) {
    const auto held = co_await when(first);
    auto more = co_await try_when(free);
    auto none = co_await try_when(taken, free);
    std::string got = more ? "free" : "";
    if (none) got += " taken";
    if (more) ++more.get<0>();
    more.release();
    const auto again = co_await try_when(free);
    if (again) got += " again";
    co_return got;
}

TEST(coroutine_lease, may_be_tried_for_without_waiting) {
    pool workers{1};
    resource<int> first{0};
    resource<int> free{0};
    resource<int> taken{0};
    manual_operation manual;
    auto holder = workers.submit(hold_during(taken, manual));
    manual.started.await();
    EXPECT_EQ(workers.run(try_while_holding(first, free, taken)), "free again");
    manual.finish();
    holder.get();
    // What was tried for in vain was passed on.
    EXPECT_EQ(when(first, free, taken)
                  .submit(workers, [](int&, int& value, int& seven) { return value + seven; })
                  .get(),
              8);
}

TEST(coroutine_lease, may_be_tried_for_as_a_range) {
    pool workers{1};
    std::vector<std::unique_ptr<resource<int>>> many;
    for (int i = 0; i < 3; ++i) many.push_back(std::make_unique<resource<int>>(i));
    EXPECT_TRUE(workers.run([](std::vector<std::unique_ptr<resource<int>>>& all) -> task<bool> {
        const auto held = co_await try_when(all);
        co_return static_cast<bool>(held);
    }(many)));
}

TEST(coroutine_lease, waits_are_reported_by_name) {
    pool workers{1};
    resource<int> held{0};
    manual_operation manual;
    auto holder = workers.submit(task_options{}.name("holder"), hold_during(held, manual));
    manual.started.await();
    auto waiting = workers.submit(task_options{}.name("waiting"), move_money(held, held, 1));
    workers.wait_idle();
    const std::string report = waits();
    EXPECT_NE(report.find("holder"), std::string::npos) << report;
    EXPECT_NE(report.find("waiting"), std::string::npos) << report;
    manual.finish();
    waiting.get();
    holder.get();
}

/// A sum that stays the same, with tasks that are stopped in between.
TEST(coroutine_lease, of_many_that_are_stopped_at_any_time_are_exclusive) {
    pool workers{2};
    std::vector<std::unique_ptr<resource<int>>> accounts;
    for (int i = 0; i < 5; ++i) accounts.push_back(std::make_unique<resource<int>>(100));
    for (int round = 0; round < 50; ++round) {
        std::stop_source source;
        std::vector<future<int>> transfers;
        for (std::size_t i = 0; i < 40; ++i) {
            transfers.push_back(
                workers.submit(i % 2 == 0 ? task_options{} : task_options{source.get_token()},
                               move_money(*accounts[i % 5], *accounts[(i * 3 + 1) % 5], 1)));
        }
        source.request_stop();
        // Stopped between the two halves, one loses its unit: those that were stopped are counted.
        for (std::size_t i = 0; i < transfers.size(); ++i) {
            const std::string outcome = outcome_of(transfers[i]);
            EXPECT_TRUE(outcome == "none" || (i % 2 == 1 && outcome == "cancelled")) << outcome;
        }
    }
    auto all = when(accounts).submit(
        workers, [](std::span<int* const> every) { return static_cast<int>(every.size()); });
    EXPECT_EQ(all.get(), 5); // each was passed on
}

} // namespace
} // namespace weft::coroutine_leases_test
