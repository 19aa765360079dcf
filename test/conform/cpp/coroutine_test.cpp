// Tasks that are coroutines: how they begin, what they return, what they await.
#include "conform/cpp/coroutine_helpers.hpp"

#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/shared_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::coroutine_test {
namespace {

using namespace test;

task<int> note_and_return(std::atomic<int>& noted, int value) {
    ++noted;
    co_return value;
}

TEST(coroutine, does_nothing_until_it_is_submitted) {
    pool workers{1};
    std::atomic<int> begun{0};
    task<int> lazy = note_and_return(begun, 3);
    EXPECT_TRUE(lazy.valid());
    workers.wait_idle();
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(workers.submit(std::move(lazy)).get(), 3);
    EXPECT_EQ(begun, 1);
    EXPECT_FALSE(lazy.valid()); // NOLINT(bugprone-use-after-move): that is what is tested
}

task<> keep_argument(guest /*kept*/) { co_return; }

TEST(coroutine, that_never_begins_destroys_its_arguments) {
    std::atomic<int> alive{0};
    {
        task<> dropped = keep_argument(guest{alive});
        EXPECT_EQ(alive, 1);
        dropped = keep_argument(guest{alive});
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

TEST(coroutine, can_be_moved_and_not_copied) {
    static_assert(!std::is_copy_constructible_v<task<int>>);
    static_assert(std::is_nothrow_move_constructible_v<task<int>>);
    pool workers{1};
    task<int> first = one();
    task<int> second = std::move(first);
    first = std::move(second);
    EXPECT_EQ(workers.run(std::move(first)), 1);
}

TEST(coroutine, without_a_coroutine_is_refused) {
    pool workers{1};
    EXPECT_EQ(error_of([&] { static_cast<void>(workers.submit(task<int>{})); }),
              "invalid_argument");
    EXPECT_EQ(error_of([&] {
                  workers.run(
                      [](task<int> none) -> task<> { co_await std::move(none); }(task<int>{}));
              }),
              "invalid_argument");
}

/// Its second move throws: into the frame, then out of it.
class moved_once {
public:
    moved_once() = default;
    moved_once(const moved_once&) = delete;
    moved_once& operator=(const moved_once&) = delete;
    moved_once(moved_once&& other) : moves_{other.moves_ + 1} { // NOLINT(*-noexcept-move*)
        if (moves_ > 1) throw std::runtime_error{"moved"};
    }
    ~moved_once() = default;

private:
    int moves_ = 0;
};
task<moved_once> return_fragile() { co_return moved_once{}; }

TEST(coroutine, whose_result_cannot_be_moved_has_that_failure) {
    pool workers{1};
    EXPECT_THROW(workers.run(return_fragile()), std::runtime_error);
}

task<int&> refer(int& to) { co_return to; }
task<std::unique_ptr<int>> make_owner(int value) { co_return std::make_unique<int>(value); }
task<std::string> text() { co_return {"text"}; }
task<> nothing_at_all() { co_return; }

TEST(coroutine, returns_anything) {
    pool workers{1};
    int value = 1;
    EXPECT_EQ(&workers.run(refer(value)), &value);
    EXPECT_EQ(*workers.run(make_owner(2)), 2);
    EXPECT_EQ(workers.run(text()), "text");
    workers.run(nothing_at_all());
}

task<int> add_up(int& value) {
    int& same = co_await refer(value);
    const std::unique_ptr<int> owner = co_await make_owner(2);
    co_await nothing_at_all();
    co_return same + *owner + static_cast<int>((co_await text()).size());
}

TEST(coroutine, awaits_children_of_any_result) {
    pool workers{1};
    int value = 1;
    EXPECT_EQ(workers.run(add_up(value)), 7);
}

task<std::string> catch_failure() {
    try {
        co_await fail_with("inner");
    } catch (const std::runtime_error& thrown) {
        co_return thrown.what();
    }
    co_return "";
}
task<> pass_failure_on() { co_await fail_with("deep"); }

TEST(coroutine, throws_what_its_child_throws) {
    pool workers{1};
    EXPECT_EQ(workers.run(catch_failure()), "inner");
    EXPECT_THROW(workers.run(pass_failure_on()), std::runtime_error);
}

TEST(coroutine, whose_future_was_dropped_reports_its_failure) {
    std::atomic<int> reported{0};
    {
        pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++reported; }}};
        static_cast<void>(workers.submit(fail_with("unseen")));
    }
    EXPECT_EQ(reported, 1);
}

task<int> count_down(int depth) {
    if (depth == 0) co_return 0;
    co_return 1 + co_await count_down(depth - 1);
}
task<int> sum_of_ones(int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await one();
    co_return sum;
}
task<int> wrap(task<int> inner) { co_return co_await std::move(inner); }
task<int> nest(int depth) {
    task<int> nested = one();
    for (int i = 0; i < depth; ++i) nested = wrap(std::move(nested));
    return nested;
}

TEST(coroutine, needs_no_stack_for_the_depth_of_awaits) {
    pool workers{1};
    constexpr int depth = 1'000'000;
    EXPECT_EQ(workers.run(count_down(depth)), depth);
    EXPECT_EQ(workers.run(sum_of_ones(depth)), depth);
    EXPECT_EQ(workers.run(nest(depth / 4)), 1);
    static_cast<void>(nest(depth / 4)); // destroyed, not run
}

task<int> throw_from(int depth) {
    if (depth == 0) throw std::runtime_error{"bottom"};
    co_return co_await throw_from(depth - 1);
}

TEST(coroutine, throws_through_many_awaits) {
    pool workers{1};
    EXPECT_THROW(workers.run(throw_from(10'000)), std::runtime_error);
}

task<pool*> run_where() { co_return pool::current(); }

TEST(coroutine, is_run_by_the_pool_and_waited_for_outside) {
    pool workers{2};
    EXPECT_EQ(workers.run(run_where()), &workers);
    EXPECT_EQ(error_of([&] { workers.run([&] { workers.run(run_where()); }); }), "would_deadlock");
    // A worker that waited for it could be the one that it needs.
    EXPECT_EQ(error_of([&] {
                  workers.run([&] {
                      future<pool*> unready = workers.submit(run_where());
                      if (unready.ready())
                          throw error{errc::would_deadlock, "another worker was fast"};
                      static_cast<void>(unready.get());
                  });
              }),
              "would_deadlock");
}

TEST(coroutine, is_refused_by_a_stopped_pool) {
    pool workers{1};
    workers.stop();
    std::atomic<int> alive{0};
    EXPECT_EQ(error_of([&] { static_cast<void>(workers.submit(keep_argument(guest{alive}))); }),
              "stopped");
    EXPECT_EQ(alive, 0);
}

task<int> await_pool_tasks(pool& workers) {
    int sum = 0;
    for (int i = 0; i < 1'000; ++i) {
        future<int> one_of_them = workers.submit([i] { return i % 2; });
        sum += co_await one_of_them;
        EXPECT_FALSE(one_of_them.valid());
    }
    co_return sum;
}

TEST(coroutine, awaits_tasks_of_the_pool) {
    for (const std::size_t count : {1U, 2U}) {
        pool workers{count};
        EXPECT_EQ(workers.run(await_pool_tasks(workers)), 500);
    }
}

task<std::string> await_shared(shared_future<std::string> text) {
    const std::string& first = co_await text;
    co_return first + co_await text;
}
task<int> await_future(future<int> awaited) { co_return co_await std::move(awaited); }
task<> await_nothing(future<void> awaited) { co_await awaited; }

TEST(coroutine, awaits_any_future) {
    pool workers{2};
    completion<std::string> later{workers};
    shared_future<std::string> shared = later.get_future().share();
    auto first = workers.submit(await_shared(shared));
    auto second = workers.submit(await_shared(shared));
    completion<void> event{workers};
    auto third = workers.submit(await_nothing(event.get_future()));
    auto chained = workers.submit(await_future(workers.submit(one())));
    later.complete("ab");
    event.complete();
    EXPECT_EQ(first.get(), "abab");
    EXPECT_EQ(second.get(), "abab");
    third.get();
    EXPECT_EQ(chained.get(), 1);
    EXPECT_EQ(error_of([&] { workers.run(await_future(future<int>{})); }), "invalid_argument");
}

task<> note_thread(future<void> awaited, std::thread::id& resumed, pool*& home) {
    co_await awaited;
    resumed = std::this_thread::get_id();
    home = pool::current();
}

TEST(coroutine, continues_on_its_own_pool_and_not_where_the_wait_ended) {
    pool workers{1};
    pool other{1};
    std::thread::id resumed;
    pool* home = nullptr;
    event go;
    auto result = workers.submit(note_thread(other.submit([&] { go.await(); }), resumed, home));
    workers.wait_idle();
    go.happen();
    result.get();
    EXPECT_EQ(home, &workers);
    EXPECT_EQ(resumed, workers.run([] { return std::this_thread::get_id(); }));
}

task<> take_turns(std::vector<int>& log, int self) {
    for (int i = 0; i < 3; ++i) {
        log.push_back(self);
        co_await yield();
    }
}
task<> run_two(pool& workers, std::vector<int>& log) {
    future<void> first = workers.submit(take_turns(log, 1));
    future<void> second = workers.submit(take_turns(log, 2));
    co_await first;
    co_await second;
}

TEST(coroutine, yields_to_others) {
    pool workers{1};
    std::vector<int> log;
    workers.run(run_two(workers, log));
    ASSERT_EQ(log.size(), 6U);
    for (std::size_t i = 1; i < log.size(); ++i) EXPECT_NE(log[i], log[i - 1]) << i;
}

task<bool> move_there_and_back(pool& home, pool& other) {
    bool right = pool::current() == &home;
    co_await move_to(other);
    right = right && pool::current() == &other;
    right = right && co_await run_where() == &other; // a child has the same home
    co_await yield();
    right = right && pool::current() == &other;
    co_await move_to(home);
    co_await move_to(home);
    co_return right&& pool::current() == &home;
}

TEST(coroutine, moves_between_pools) {
    pool first{1};
    pool second{2};
    EXPECT_TRUE(first.run(move_there_and_back(first, second)));
}

TEST(coroutine, stays_where_it_is_if_the_other_pool_was_stopped) {
    pool workers{1};
    pool stopped{1};
    stopped.stop();
    workers.run([](pool& home, pool& other) -> task<> {
        bool refused = false;
        try {
            co_await move_to(other);
        } catch (const error& thrown) {
            refused = thrown.code() == errc::stopped;
        }
        EXPECT_TRUE(refused);
        EXPECT_EQ(pool::current(), &home);
    }(workers, stopped));
}

task<int> await_operation(manual_operation& awaited) { co_return co_await awaited; }
task<int> await_temporary() { co_return co_await manual_operation{true}; }

TEST(coroutine, awaits_operations) {
    pool workers{1};
    manual_operation manual;
    auto result = workers.submit(await_operation(manual));
    manual.started.await();
    manual.finish();
    EXPECT_EQ(result.get(), 7);
    EXPECT_EQ(workers.run(await_temporary()), 7);
}

/// Ends while `start` still runs, on another thread: the coroutine is not resumed before.
TEST(coroutine, awaits_operations_that_end_while_they_start) {
    pool workers{2};
    for (int i = 0; i < 200; ++i) {
        manual_operation manual;
        std::jthread ender{[&] {
            manual.started.await();
            manual.finish();
        }};
        EXPECT_EQ(workers.run(await_operation(manual)), 7);
    }
}

task<int> fork_inside() {
    const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
    co_return left + right;
}

TEST(coroutine, forks_and_joins) {
    pool workers{2};
    EXPECT_EQ(workers.run(fork_inside()), 3);
}

task<int> wait_for(shared_future<int> gate) { co_return co_await gate; }

TEST(coroutine, many_are_alive_at_once) {
    pool workers{2};
    completion<int> gate{workers};
    const shared_future<int> opened = gate.get_future().share();
    std::vector<future<int>> waiting;
    for (int i = 0; i < 100'000; ++i) waiting.push_back(workers.submit(wait_for(opened)));
    workers.wait_idle();
    gate.complete(1);
    int sum = 0;
    for (future<int>& each : waiting) sum += each.get();
    EXPECT_EQ(sum, 100'000);
}

task<int> name_and_urgency() { co_return co_await one(); }

TEST(coroutine, options_are_given_one_by_one) {
    pool workers{1};
    task_options options;
    options.name("named").priority(priority::high);
    EXPECT_EQ(workers.run(options, name_and_urgency()), 1);
    EXPECT_EQ(
        workers.submit(task_options{}.name("named").priority(priority::low), name_and_urgency())
            .get(),
        1);
    static_assert(!std::is_aggregate_v<task_options>);
}

} // namespace
} // namespace weft::coroutine_test
