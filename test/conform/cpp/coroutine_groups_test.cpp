// Coroutines that await several tasks: all of them, or the first.
#include "conform/cpp/coroutine_helpers.hpp"
#include "conform/cpp/failure_chain.hpp"
#include "support/scale.hpp"

#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/nothing.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft::coroutine_groups_test {
namespace {

using namespace test;

task<std::string> word() { co_return "word"; }
task<int&> refer(int& to) { co_return to; }
task<> note(std::atomic<int>& count) {
    ++count;
    co_return;
}

task<> await_all_kinds() {
    std::atomic<int> noted{0};
    int target = 5;
    auto [number, text, none, reference] =
        co_await when_all(one(), word(), note(noted), refer(target));
    static_assert(std::is_same_v<decltype(none), nothing>);
    EXPECT_EQ(number, 1);
    EXPECT_EQ(text, "word");
    EXPECT_EQ(noted, 1);
    EXPECT_EQ(&reference.get(), &target);
}

TEST(coroutine_all, has_all_results) {
    pool workers{2};
    workers.run(await_all_kinds());
}

task<int> square(int number) {
    co_await yield();
    co_return number* number;
}
task<int> sum_of_squares(int count) {
    std::vector<task<int>> parts;
    for (int i = 1; i <= count; ++i) parts.push_back(square(i));
    int sum = 0;
    for (const int each : co_await when_all(std::move(parts))) sum += each;
    co_return sum;
}
task<int> await_none() {
    std::vector<task<>> none;
    co_await when_all(std::move(none));
    const std::vector<int> results = co_await when_all(std::vector<task<int>>{});
    co_return static_cast<int>(results.size());
}

TEST(coroutine_all, takes_any_number) {
    pool workers{2};
    EXPECT_EQ(workers.run(sum_of_squares(1'000)), 333'833'500);
    EXPECT_EQ(workers.run(await_none()), 0);
}

task<int> fibonacci(int number) {
    if (number < 2) co_return number;
    const auto [left, right] = co_await when_all(fibonacci(number - 1), fibonacci(number - 2));
    co_return left + right;
}

TEST(coroutine_all, nests) {
    for (const std::size_t count : {1U, 2U}) {
        pool workers{count};
        EXPECT_EQ(workers.run(fibonacci(15)), 610);
    }
}

TEST(coroutine_all, runs_them_at_the_same_time) {
    pool workers{2};
    meeting both{2};
    const auto attend = [](meeting& shared) -> task<bool> { co_return shared.attend(); };
    const auto [first, second] =
        workers.run([](task<bool> one_task, task<bool> other) -> task<std::tuple<bool, bool>> {
            co_return co_await when_all(std::move(one_task), std::move(other));
        }(attend(both), attend(both)));
    EXPECT_TRUE(first && second);
}

/// Waits until it is stopped.
task<> wait_for_stop(std::atomic<int>& stopped, manual_operation& never) {
    try {
        co_await never;
    } catch (const error& thrown) {
        if (thrown.code() == errc::cancelled) ++stopped;
        throw;
    }
}
task<> fail_after(manual_operation& first, manual_operation& second) {
    while (!first.started.has_happened() || !second.started.has_happened()) co_await yield();
    throw std::runtime_error{"failed"};
}

TEST(coroutine_all, that_fails_stops_the_others_and_waits_for_them) {
    pool workers{1};
    std::atomic<int> stopped{0};
    manual_operation first;
    manual_operation second;
    auto result = workers.submit(
        [](std::atomic<int>& count, manual_operation& one_wait, manual_operation& other) -> task<> {
            co_await when_all(wait_for_stop(count, one_wait), fail_after(one_wait, other),
                              wait_for_stop(count, other));
        }(stopped, first, second));
    EXPECT_EQ(outcome_of(result), "failed");
    EXPECT_EQ(stopped, 2);
}

TEST(coroutine_all, is_stopped_from_above) {
    pool workers{1};
    std::stop_source source;
    std::atomic<int> stopped{0};
    manual_operation first;
    manual_operation second;
    auto result = workers.submit(
        task_options{source.get_token()},
        [](std::atomic<int>& count, manual_operation& one_wait, manual_operation& other) -> task<> {
            co_await when_all(wait_for_stop(count, one_wait), wait_for_stop(count, other));
        }(stopped, first, second));
    first.started.await();
    second.started.await();
    source.request_stop();
    EXPECT_EQ(outcome_of(result), "cancelled");
    EXPECT_EQ(stopped, 2);
}

task<int> wait_and_return(manual_operation& awaited) { co_return co_await awaited; }

TEST(coroutine_any, has_the_first_result_and_waits_for_the_others) {
    pool workers{1};
    std::atomic<int> stopped{0};
    manual_operation first;
    manual_operation second;
    auto result = workers.submit([](std::atomic<int>& count, manual_operation& never,
                                    manual_operation& soon) -> task<std::size_t> {
        auto found = co_await when_any(wait_for_stop(count, never), wait_and_return(soon));
        EXPECT_EQ(std::get<1>(found.value), 7);
        EXPECT_EQ(count, 1);
        co_return found.index;
    }(stopped, first, second));
    first.started.await();
    second.started.await();
    second.finish();
    EXPECT_EQ(result.get(), 1U);
}

TEST(coroutine_any, takes_any_number_but_not_none) {
    pool workers{2};
    EXPECT_EQ(workers.run([]() -> task<int> {
        std::vector<task<int>> parts;
        for (int i = 0; i < 100; ++i) parts.push_back(one());
        const auto found = co_await when_any(std::move(parts));
        EXPECT_LT(found.index, 100U);
        co_return found.value;
    }()),
              1);
    EXPECT_EQ(error_of([&] {
                  workers.run([]() -> task<> { co_await when_any(std::vector<task<>>{}); }());
              }),
              "invalid_argument");
}

TEST(coroutine_any, throws_if_the_first_threw) {
    pool workers{1};
    std::atomic<int> stopped{0};
    manual_operation never;
    auto result = workers.submit([](std::atomic<int>& count, manual_operation& other) -> task<> {
        co_await when_any(wait_for_stop(count, other), fail_after(other, other));
    }(stopped, never));
    EXPECT_EQ(outcome_of(result), "failed");
    EXPECT_EQ(stopped, 1);
}

task<> refuse_empty() { co_await when_all(one(), task<int>{}); }

TEST(coroutine_all, refuses_what_is_no_task) {
    pool workers{1};
    EXPECT_EQ(error_of([&] { workers.run(refuse_empty()); }), "invalid_argument");
}

TEST(coroutine_all, that_is_not_run_destroys_its_tasks) {
    std::atomic<int> alive{0};
    const auto keep = [](guest /*kept*/) -> task<int> { co_return 1; };
    {
        auto request = when_all(keep(guest{alive}), keep(guest{alive}));
        EXPECT_EQ(alive, 2);
    }
    EXPECT_EQ(alive, 0);
}

TEST(coroutine_all, ends_with_its_pool) {
    std::atomic<int> alive{0};
    manual_operation first;
    manual_operation second;
    future<void> result;
    {
        pool workers{1};
        const auto await = [](guest /*kept*/, manual_operation& awaited) -> task<int> {
            co_return co_await awaited;
        };
        result = workers.submit([](task<int> one_task, task<int> other) -> task<> {
            co_await when_all(std::move(one_task), std::move(other));
        }(await(guest{alive}, first), await(guest{alive}, second)));
        first.started.await();
        second.started.await();
    }
    EXPECT_EQ(alive, 2);
    first.finish(); // which fails, so that the other is stopped
    EXPECT_EQ(outcome_of(result), "not_run");
    EXPECT_EQ(alive, 0);
}

/// The stop request ends the branches, and with them the group and its stop state.
TEST(coroutine_all, is_stopped_when_its_pool_has_ended) {
    std::atomic<int> stopped{0};
    manual_operation first;
    manual_operation second;
    std::stop_source source;
    future<void> result;
    {
        pool workers{1};
        result = workers.submit(task_options{source.get_token()},
                                [](std::atomic<int>& count, manual_operation& one_wait,
                                   manual_operation& other) -> task<> {
                                    co_await when_all(wait_for_stop(count, one_wait),
                                                      wait_for_stop(count, other));
                                }(stopped, first, second));
        first.started.await();
        second.started.await();
    }
    source.request_stop();
    EXPECT_EQ(outcome_of(result), "not_run");
    EXPECT_EQ(stopped, 0); // destroyed where they were
}

/// A random tree of tasks, whose outcome is known without running them.
class tree {
public:
    tree(std::uint32_t seed, int depth) : state_{seed} { build(root_, depth); }
    [[nodiscard]] bool fails() const { return fails(root_); }
    [[nodiscard]] int sum() const { return sum(root_); }
    task<int> run() { return run(root_); }

private:
    struct node {
        enum class kind : std::uint8_t { leaf, failing, sequence, all } what = kind::leaf;
        std::vector<node> parts;
    };
    std::uint32_t random(std::uint32_t below) {
        state_ = state_ * 1'664'525 + 1'013'904'223;
        return (state_ >> 8U) % below;
    }
    void build(node& made, int depth) {
        const std::uint32_t choice = random(20);
        if (choice == 0) made.what = node::kind::failing;
        else if (depth == 0) made.what = node::kind::leaf;
        else made.what = choice < 10 ? node::kind::sequence : node::kind::all;
        if (made.what == node::kind::leaf || made.what == node::kind::failing) return;
        made.parts.resize(1 + random(3));
        for (node& each : made.parts) build(each, depth - 1);
    }
    static bool fails(const node& root) {
        bool failed = root.what == node::kind::failing;
        for (const node& each : root.parts) failed = failed || fails(each);
        return failed;
    }
    static int sum(const node& root) {
        int total = root.parts.empty() ? 1 : 0;
        for (const node& each : root.parts) total += sum(each);
        return total;
    }
    static task<int> run(const node& root) {
        switch (root.what) {
        case node::kind::leaf: co_return 1;
        case node::kind::failing: throw std::runtime_error{"failing"};
        case node::kind::sequence: {
            int total = 0;
            for (const node& each : root.parts) total += co_await run(each);
            co_return total;
        }
        case node::kind::all: break;
        }
        std::vector<task<int>> tasks;
        for (const node& each : root.parts) tasks.push_back(run(each));
        int total = 0;
        for (const int each : co_await when_all(std::move(tasks))) total += each;
        co_return total;
    }

    std::uint32_t state_;
    node root_;
};

TEST(coroutine_all, of_random_trees_have_the_outcome_of_the_same_calls) {
    pool workers{2};
    const auto count = static_cast<std::uint32_t>(scaled(1'000, 100'000));
    for (std::uint32_t seed = 0; seed < count; ++seed) {
        tree made{seed, 4};
        if (made.fails()) {
            EXPECT_THROW(workers.run(made.run()), std::runtime_error) << seed;
        } else {
            EXPECT_EQ(workers.run(made.run()), made.sum()) << seed;
        }
    }
}

} // namespace
} // namespace weft::coroutine_groups_test
