#include <weft/future.hpp>

#include "conform/cpp/aligned.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

class future_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, future_on, testing::Values(1, 2, 3, 8, 64));

constexpr auto very_long = 10min;

// One future

TEST_P(future_on, get_returns_the_result_and_ends_the_future) {
    future<int> result = workers.submit([] { return 42; });
    EXPECT_TRUE(result.valid());
    EXPECT_EQ(result.get(), 42);
    EXPECT_FALSE(result.valid());
}

TEST_P(future_on, wait_leaves_the_result_where_it_is) {
    future<std::string> result = workers.submit([] { return std::string(100, 'x'); });
    result.wait();
    EXPECT_TRUE(result.ready());
    result.wait();
    EXPECT_TRUE(result.valid());
    EXPECT_EQ(result.get(), std::string(100, 'x'));
}

TEST_P(future_on, wait_for_gives_up_and_may_be_tried_again) {
    event go;
    future<int> result = workers.submit([&] {
        go.await();
        return 1;
    });
    EXPECT_FALSE(result.wait_for(1ms));
    EXPECT_FALSE(result.wait_for(0ms));
    EXPECT_FALSE(result.wait_for(-1s));
    EXPECT_FALSE(result.ready());
    go.happen();
    EXPECT_TRUE(result.wait_for(very_long));
    EXPECT_TRUE(result.wait_for(0ms));
    EXPECT_EQ(result.get(), 1);
}

TEST_P(future_on, the_longest_patience_is_patience_too) {
    future<int> result = workers.submit([] { return 1; });
    EXPECT_TRUE(result.wait_for(std::chrono::steady_clock::duration::max()));
    event go;
    result = workers.submit([&] {
        go.await();
        return 2;
    });
    std::jthread late{[&] { go.happen(); }};
    EXPECT_TRUE(result.wait_for(std::chrono::hours::max()));
    EXPECT_EQ(result.get(), 2);
}

TEST_P(future_on, results_of_every_kind_come_back) {
    std::string text = "text";
    EXPECT_EQ(&workers.submit([&]() -> std::string& { return text; }).get(), &text);
    EXPECT_EQ(&workers.submit([&]() -> const std::string& { return text; }).get(), &text);
    EXPECT_EQ(*workers.submit([] { return std::make_unique<int>(5); }).get(), 5);
    using large = std::array<std::uint64_t, 200>;
    EXPECT_EQ(workers.submit([] { return large{1, 2, 3}; }).get(), (large{1, 2, 3}));
    int done = 0;
    workers.submit([&] { done = 1; }).get();
    EXPECT_EQ(done, 1);
    auto&& moved = workers.submit([&]() -> std::string&& { return std::move(text); }).get();
    static_assert(std::is_same_v<decltype(moved), std::string&&>);
    EXPECT_EQ(&moved, &text);
    EXPECT_EQ(workers.submit([] { return std::monostate{}; }).get(), std::monostate{});
    EXPECT_THROW(workers.submit([]() -> std::monostate { throw std::out_of_range{"gone"}; }).get(),
                 std::out_of_range);
}

TEST_P(future_on, move_only_callables_are_run) {
    auto number = std::make_unique<int>(6);
    EXPECT_EQ(workers.submit([number = std::move(number)] { return *number; }).get(), 6);
}

TEST_P(future_on, over_aligned_callables_and_results_are_aligned) {
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(workers.submit([] { return aligned<64>{1}; }).get().value, 1);
        EXPECT_EQ(workers.submit([] { return aligned<256>{2}; }).get().value, 2);
        const aligned<512> captured{3};
        EXPECT_EQ(workers.submit([captured] { return captured.value; }).get(), 3);
    }
}

TEST_P(future_on, exceptions_come_out_of_get_and_not_of_wait) {
    future<int> result = workers.submit([]() -> int { throw std::out_of_range{"gone"}; });
    result.wait();
    EXPECT_TRUE(result.ready());
    EXPECT_THROW(result.get(), std::out_of_range);
    EXPECT_FALSE(result.valid());
}

TEST_P(future_on, a_queued_task_runs_without_get) {
    event ran;
    workers.submit([&] { ran.happen(); });
    ran.await();
}

TEST_P(future_on, the_callable_is_ended_when_nobody_holds_the_future) {
    auto held = std::make_shared<int>(1);
    workers.submit([held] { return *held; }).get();
    workers.submit([held] { return *held; });
    workers.stop();
    EXPECT_EQ(held.use_count(), 1);
}

TEST(futures, move_and_swap_as_values_do) {
    pool workers{2};
    future<int> none;
    EXPECT_FALSE(none.valid());
    future<int> first = workers.submit([] { return 1; });
    future<int> second = std::move(first);
    EXPECT_FALSE(first.valid()); // NOLINT(bugprone-use-after-move): it is promised
    first = workers.submit([] { return 2; });
    std::swap(first, second);
    EXPECT_EQ(first.get(), 1);
    EXPECT_EQ(second.get(), 2);
}

TEST(futures, outlive_their_pool) {
    future<int> value;
    future<int> failure;
    {
        pool workers{2};
        value = workers.submit([] { return 7; });
        failure = workers.submit([]() -> int { throw std::runtime_error{"late"}; });
    }
    EXPECT_TRUE(value.ready());
    EXPECT_EQ(value.get(), 7);
    EXPECT_THROW(failure.get(), std::runtime_error);
}

/// In bytes, and far less than what the tests below would leave behind.
constexpr std::int64_t little_memory = 3 << 20;

TEST(futures, leave_nothing_behind_when_they_are_polled) {
    if (sanitized) GTEST_SKIP() << "sanitizers keep what was freed";
    event go;
    pool workers{1};
    future<void> unready = workers.submit([&] { go.await(); });
    for (const auto patience : {0ns, 1ns}) {
        static_cast<void>(unready.wait_for(patience));
        const std::int64_t before = resident_memory();
        for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(unready.wait_for(patience));
        EXPECT_LT(resident_memory() - before, little_memory) << patience.count();
    }
    go.happen();
}

/// The producer submits to its own queue, and never returns to it; what another worker has joined
/// out of it must not stay there.
TEST(futures, that_another_worker_joins_do_not_pile_up_at_a_long_producer) {
    if (sanitized) GTEST_SKIP() << "sanitizers keep what was freed";
    constexpr int batches = 2'000;
    using batch = std::vector<future<void>>;
    std::atomic<batch*> handed_over{nullptr};
    pool workers{2};
    const std::int64_t before = resident_memory();
    auto consumer = workers.submit([&] {
        for (int i = 0; i < batches; ++i) {
            spin_until([&] { return handed_over != nullptr; });
            const std::unique_ptr<batch> next{handed_over.exchange(nullptr)};
            for (future<void>& each : *next) each.get();
        }
    });
    auto producer = workers.submit([&] {
        for (int i = 0; i < batches; ++i) {
            auto next = std::make_unique<batch>();
            for (int task = 0; task < 100; ++task) next->push_back(workers.submit([] {}));
            spin_until([&] { return handed_over == nullptr; });
            handed_over = next.release();
        }
        return resident_memory();
    });
    EXPECT_LT(producer.get() - before, little_memory);
    consumer.get();
}

TEST(futures, never_block_when_dropped) {
    event go;
    event done;
    pool workers{1};
    {
        const future<void> dropped = workers.submit([&] {
            go.await();
            done.happen();
        });
    }
    EXPECT_FALSE(done.has_happened());
    go.happen();
    done.await();
}

// Exceptions that nobody asks for

TEST(discarded_exceptions, go_to_on_error) {
    std::atomic<int> reported{0};
    pool workers{pool_options{.workers = 2, .on_error = [&](std::exception_ptr error) {
                                  EXPECT_THROW(std::rethrow_exception(error), std::logic_error);
                                  ++reported;
                              }}};
    workers.submit([] { throw std::logic_error{"before its end"}; });
    {
        future<void> waited_for = workers.submit([] { throw std::logic_error{"after its end"}; });
        waited_for.wait();
    }
    future<void> asked = workers.submit([] { throw std::logic_error{"asked for"}; });
    EXPECT_THROW(asked.get(), std::logic_error);
    workers.stop();
    EXPECT_EQ(reported, 2);
}

TEST(discarded_exceptions, go_to_on_error_even_when_the_pool_is_gone) {
    int reported = 0;
    future<void> failed;
    {
        pool workers{
            pool_options{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++reported; }}};
        failed = workers.submit([] { throw std::logic_error{"nobody asks"}; });
    }
    EXPECT_EQ(reported, 0);
    failed = {};
    EXPECT_EQ(reported, 1);
}

TEST(discarded_exceptions, of_tasks_that_were_cancelled_end_no_program) {
    std::stop_source stop;
    stop.request_stop();
    pool workers{1};
    workers.submit(submit_options{stop.get_token()}, [] {});
    workers.stop();
}

TEST(discarded_exceptions_death, end_the_program_without_on_error) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            pool workers{1};
            workers.submit([] { throw std::runtime_error{"lost and found"}; });
            workers.stop();
        },
        "weft: a task threw, its result was never requested[^\n]*\n.*lost and found");
}

// Continuations

TEST_P(future_on, a_chain_of_continuations_runs_in_order) {
    future<int> all = workers.submit([] { return 1; })
                          .then([](future<int> before) { return before.get() + 1; })
                          .then([](future<int> before) { return before.get() * 10; });
    EXPECT_EQ(all.get(), 20);
}

TEST_P(future_on, a_long_chain_needs_no_stack_and_no_thread) {
    future<std::uint64_t> last = workers.submit([] { return std::uint64_t{0}; });
    constexpr std::uint64_t links = sanitized ? 5'000 : 50'000;
    for (std::uint64_t i = 0; i < links; ++i) {
        last = std::move(last).then([](future<std::uint64_t> before) { return before.get() + 1; });
    }
    EXPECT_EQ(last.get(), links);
}

TEST_P(future_on, a_continuation_of_a_ready_future_runs_on_the_pool) {
    future<int> ready = workers.submit([] { return 1; });
    ready.wait();
    auto next = std::move(ready).then(
        [](future<int> before) { return std::pair(before.get(), pool::current()); });
    EXPECT_FALSE(ready.valid()); // NOLINT(bugprone-use-after-move): it is promised
    EXPECT_EQ(next.get(), std::pair(1, &workers));
}

TEST_P(future_on, a_continuation_sees_the_failure_of_what_came_before) {
    auto handled = workers.submit([]() -> int { throw std::out_of_range{"gone"}; })
                       .then([](future<int> before) {
                           EXPECT_TRUE(before.ready());
                           EXPECT_THROW(before.get(), std::out_of_range);
                           return 3;
                       });
    EXPECT_EQ(handled.get(), 3);
    auto passed_on = workers.submit([]() -> int { throw std::out_of_range{"gone"}; })
                         .then([](future<int> before) { return before.get(); });
    EXPECT_THROW(passed_on.get(), std::out_of_range);
}

TEST_P(future_on, a_continuation_may_be_move_only_return_nothing_or_a_reference) {
    int target = 0;
    auto next = workers.submit([] { return std::make_unique<int>(4); })
                    .then([&, more = std::make_unique<int>(5)](
                              future<std::unique_ptr<int>> before) -> int& {
                        target = *before.get() + *more;
                        return target;
                    });
    EXPECT_EQ(&next.get(), &target);
    EXPECT_EQ(target, 9);
    workers.submit([] {}).then([&](future<void>) { target = 1; }).get();
    EXPECT_EQ(target, 1);
}

TEST_P(future_on, a_dropped_continuation_runs_all_the_same) {
    event ran;
    static_cast<void>(workers.submit([] {}).then([&](future<void>) { ran.happen(); }));
    ran.await();
}

TEST(continuations, of_a_stopped_pool_end_as_not_run) {
    pool workers{1};
    future<int> ready = workers.submit([] { return 1; });
    workers.stop();
    auto next = std::move(ready).then([](future<int> before) { return before.get(); });
    EXPECT_EQ(error_of([&] { next.get(); }), "not_run");
}

TEST(continuations, in_a_long_chain_that_is_cancelled_end_without_using_up_the_stack) {
    constexpr int links = sanitized ? 30'000 : 300'000;
    event go;
    pool workers{1};
    future<int> last = workers.submit([&] {
        go.await();
        return 0;
    });
    for (int i = 0; i < links; ++i) {
        last = std::move(last).then([](future<int> before) { return before.get() + 1; });
    }
    std::jthread stopper{[&] { workers.stop(on_stop::cancel); }};
    spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
    go.happen();
    stopper.join();
    EXPECT_TRUE(last.ready());
    last = {};
}

/// Copied after `then` has begun, and the pool ends meanwhile.
struct copied_late {
    event* copying;
    event* copied;
    copied_late(event& begun, event& go) : copying{&begun}, copied{&go} {}
    copied_late(const copied_late& other) : copying{other.copying}, copied{other.copied} {
        copying->happen();
        copied->await();
    }
    copied_late(copied_late&&) noexcept = default;
    copied_late& operator=(const copied_late&) = delete;
    ~copied_late() = default;
    int operator()(future<int> before) const { return before.get(); }
};

TEST(continuations, of_a_pool_that_ends_meanwhile_end_as_not_run) {
    auto workers = std::make_unique<pool>(1);
    future<int> ready = workers->submit([] { return 1; });
    ready.wait();
    event copying;
    event gone;
    const std::jthread ender{[&] {
        copying.await();
        workers.reset();
        gone.happen();
    }};
    const copied_late next{copying, gone};
    auto after = std::move(ready).then(next);
    EXPECT_EQ(error_of([&] { after.get(); }), "not_run");
}

TEST(continuations, of_a_pool_that_is_gone_end_as_not_run) {
    auto workers = std::make_unique<pool>(1);
    future<int> ready = workers->submit([] { return 1; });
    workers.reset();
    auto next = std::move(ready).then([](future<int> before) { return before.get(); });
    EXPECT_EQ(error_of([&] { next.get(); }), "not_run");
}

} // namespace
} // namespace weft
