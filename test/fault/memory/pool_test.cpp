// Whichever allocation fails, the call says so, nothing leaks, and the pool is as good as before.
#include "fault/memory/failing_memory.hpp"
#include "pool/steal_planner.hpp"
#include "support/sleeping_workers.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/pool/block_cache.hpp>
#include <weft/detail/pool/pool_number.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/task_group.hpp>

#include <threadpool.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace weft::test {
namespace {

/// Runs `scenario(k)` for k = 1, 2, … until it says that no allocation has failed.
void for_each_allocation(const std::function<bool(std::uint64_t)>& scenario) {
    std::uint64_t allocation = 1;
    while (scenario(allocation)) {
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "allocation " << allocation;
        ASSERT_LT(++allocation, 100'000U) << "it never succeeds";
    }
    EXPECT_GT(allocation, 10U) << "too few allocations for this to test anything";
}

// The C interface

void* sum_up_to(thread_pool* pool, void* data) {
    const auto n = reinterpret_cast<std::intptr_t>(data);
    if (n == 0) return nullptr;
    ::future* less = thread_pool_submit(pool, sum_up_to, reinterpret_cast<void*>(n - 1));
    if (less == nullptr) return reinterpret_cast<void*>(-1);
    const auto sum = reinterpret_cast<std::intptr_t>(future_get(less));
    future_free(less);
    return reinterpret_cast<void*>(sum < 0 ? sum : sum + n);
}

/// True if all went well. Of 100 tasks at once, so that queues have to grow.
bool use_c_pool(thread_pool* pool) {
    std::array<::future*, 100> futures{};
    bool well = true;
    for (::future*& each : futures) {
        each = thread_pool_submit(pool, sum_up_to, reinterpret_cast<void*>(4));
        well = well && each != nullptr;
    }
    for (::future* each : futures) {
        if (each == nullptr) continue;
        const auto sum = reinterpret_cast<std::intptr_t>(future_get(each));
        EXPECT_TRUE(sum == 10 || sum == -1) << sum;
        well = well && sum == 10;
        future_free(each);
    }
    return well;
}

bool use_c_interface(std::uint64_t allocation, failing mode) {
    bool failed = false;
    bool well = false;
    ::testing::internal::CaptureStderr();
    thread_pool* pool = nullptr;
    {
        const failing_memory memory{allocation, mode};
        pool = thread_pool_new(2);
        well = pool != nullptr && use_c_pool(pool);
        failed = memory.failed();
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(well, said.empty()) << said;
    if (!well) {
        EXPECT_TRUE(said.starts_with("thread_pool_new: ") ||
                    said.starts_with("thread_pool_submit: "))
            << said;
    }
    EXPECT_TRUE(failed || well);
    if (pool != nullptr) {
        EXPECT_TRUE(use_c_pool(pool)) << "allocation " << allocation << " spoilt the pool";
    }
    thread_pool_shutdown_and_destroy(pool);
    return failed;
}

TEST(memory, c_functions_return_null_and_say_so_whichever_allocation_fails) {
    for_each_allocation(
        [](std::uint64_t allocation) { return use_c_interface(allocation, failing::once); });
}

TEST(memory, c_functions_return_null_and_say_so_when_memory_ends) {
    for_each_allocation(
        [](std::uint64_t allocation) { return use_c_interface(allocation, failing::for_good); });
}

TEST(memory, a_c_pool_ends_without_memory) {
    thread_pool* pool = thread_pool_new(3);
    std::array<::future*, 100> futures{};
    for (::future*& each : futures) {
        each = thread_pool_submit(pool, sum_up_to, reinterpret_cast<void*>(0));
    }
    const failing_memory memory{1, failing::for_good};
    thread_pool_shutdown_and_destroy(pool);
    for (::future* each : futures) {
        EXPECT_EQ(future_get(each), nullptr);
        future_free(each);
    }
}

// The C++ interface

/// A result that does not fit anywhere and is itself allocated.
struct large {
    std::array<int, 100> content{};
    std::string text = std::string(100, 'x');
};

int fork_tree(int height) {
    if (height == 0) return 1;
    auto [left, right] = fork_join([=] { return fork_tree(height - 1); },
                                   [=] {
                                       large made;
                                       made.content[0] = fork_tree(height - 1);
                                       return made;
                                   });
    return left + right.content[0];
}

int futures_in_a_chain(pool& workers) {
    auto first = workers.submit([] { return std::string(100, 'x'); });
    auto second =
        std::move(first).then([](future<std::string> before) { return before.get() + "y"; });
    auto third = std::move(second).then(
        [](future<std::string> before) { return static_cast<int>(before.get().size()); });
    return third.get();
}

/// On a thread outside, for a worker may not wait for a continuation.
bool use_pool(pool& workers) {
    std::atomic<int> ran = 0;
    int leaves = 0;
    {
        task_group group{workers};
        for (int i = 0; i < 100; ++i) {
            group.submit([&ran, text = std::string(100, 'x')] { ran += !text.empty(); });
        }
        group.wait();
    }
    leaves = workers.run([] { return fork_tree(5); });
    workers.run([&] {
        task_group group;
        for (int i = 0; i < 100; ++i) group.submit([&] { ++ran; });
        group.wait();
    });
    return futures_in_a_chain(workers) == 101 && leaves == 32 && ran == 200;
}

bool use_cpp_interface(std::uint64_t allocation, failing mode) {
    bool failed = false;
    bool well = false;
    std::atomic<int> unasked = 0;
    std::optional<pool> workers;
    {
        const failing_memory memory{allocation, mode};
        try {
            pool_options options{.workers = 2, .name = "a name that is not short at all"};
            options.on_error = [&](const std::exception_ptr& error) {
                EXPECT_THROW(std::rethrow_exception(error), std::bad_alloc);
                ++unasked;
            };
            workers.emplace(std::move(options));
            well = use_pool(*workers);
        } catch (const std::bad_alloc&) {
        }
        failed = memory.failed();
    }
    EXPECT_TRUE(failed || well);
    if (workers) {
        EXPECT_TRUE(use_pool(*workers)) << "allocation " << allocation << " spoilt the pool";
    }
    return failed;
}

TEST(memory, cpp_calls_throw_bad_alloc_whichever_allocation_fails) {
    for_each_allocation(
        [](std::uint64_t allocation) { return use_cpp_interface(allocation, failing::once); });
}

TEST(memory, cpp_calls_throw_bad_alloc_when_memory_ends) {
    for_each_allocation(
        [](std::uint64_t allocation) { return use_cpp_interface(allocation, failing::for_good); });
}

/// A worker is pinned on its own thread, where nobody could catch anything.
TEST(memory, a_pinned_pool_throws_bad_alloc_whichever_allocation_fails) {
    for_each_allocation([](std::uint64_t allocation) {
        const failing_memory memory{allocation};
        bool well = false;
        try {
            pool workers{pool_options{
                .workers = 1, .name = "a name that is not short at all", .pinned = true}};
            well = workers.run([] { return fork_tree(3); }) == 8;
        } catch (const std::bad_alloc&) {
        }
        EXPECT_TRUE(memory.failed() || well);
        return memory.failed();
    });
}

/// The error itself cannot be made then.
TEST(memory, a_task_that_is_cancelled_without_memory_gives_bad_alloc) {
    std::stop_source source;
    source.request_stop();
    std::atomic<bool> go = false;
    pool workers{1};
    auto busy = workers.submit([&] { go.wait(false); });
    auto cancelled = workers.submit(submit_options{.stop = source.get_token()}, [] { return 1; });
    {
        const failing_memory memory{1, failing::for_good};
        go = true;
        go.notify_all();
        cancelled.wait();
    }
    EXPECT_THROW(cancelled.get(), std::bad_alloc);
    busy.get();
    EXPECT_EQ(workers.run([] { return 2; }), 2);
}

TEST(memory, a_task_that_is_not_run_without_memory_gives_bad_alloc) {
    std::atomic<bool> begun = false;
    std::atomic<bool> go = false;
    const auto expect_bad_alloc = [](const std::exception_ptr& error) {
        EXPECT_THROW(std::rethrow_exception(error), std::bad_alloc);
    };
    pool workers{pool_options{.workers = 1, .on_error = expect_bad_alloc}};
    auto busy = workers.submit([&] {
        begun = true;
        begun.notify_all();
        go.wait(false);
    });
    begun.wait(false); // else it would not be run either
    auto queued = workers.submit([] { return 1; });
    auto after =
        workers.submit([] { return 2; }).then([](future<int> before) { return before.get(); });
    std::thread stopper{[&] { workers.stop(on_stop::cancel); }};
    for (bool stopped = false; !stopped; std::this_thread::yield()) {
        try {
            workers.submit([] {});
        } catch (const error& thrown) {
            stopped = thrown.code() == errc::stopped;
        }
    }
    {
        const failing_memory memory{1, failing::for_good};
        go = true;
        go.notify_all();
        stopper.join();
    }
    EXPECT_THROW(queued.get(), std::bad_alloc);
    EXPECT_THROW(after.get(), std::bad_alloc);
}

TEST(memory, a_pool_stops_without_memory) {
    std::atomic<int> ran = 0;
    {
        pool workers{3};
        for (int i = 0; i < 100; ++i) workers.submit([&] { ++ran; });
        const failing_memory memory{1, failing::for_good};
        workers.stop();
    }
    EXPECT_EQ(ran, 100);
}

TEST(memory, is_not_needed_for_the_identities_of_the_first_pools) {
    std::array<std::optional<detail::pool_number>, detail::constants::pools_without_allocation>
        first;
    const failing_memory memory{1, failing::for_good};
    for (auto& each : first) EXPECT_NO_THROW(each.emplace());
}

TEST(memory, is_not_needed_for_a_plan) {
    for (const planning when : {planning::when_one_is_idle, planning::when_many_are_idle}) {
        detail::steal_planner planner{4, 2, when};
        for (std::size_t each = 1; each < 4; ++each) planner.orders.owner_set_hungry(each, true);
        const failing_memory memory{1, failing::for_good};
        const auto queued = [](std::size_t index) { return index == 0 ? 100U : 0U; };
        EXPECT_EQ(planner.try_plan(queued, [](std::size_t) {}), 3U);
    }
}

/// Before the queue grows, tasks that were joined are taken out of it, and for a while none is in
/// it.
TEST(memory, a_sleeper_is_woken_for_tasks_in_a_queue_that_cannot_grow) {
    unstarted_pool workers{2};
    const auto make = [&] {
        const auto nothing_to_do = [] {};
        return detail::callable_task<decltype(nothing_to_do)>::make(
            detail::task_home{workers.core()}, detail::completion_word::made_for_queue{}, {},
            nothing_to_do);
    };
    detail::task_deque<detail::task>& queue = workers[0].queues.normal;
    const auto submit = [](auto* made) {
        made->submit("test");
        made->drop_handle();
    };
    while (!queue.owner_is_full()) workers.as_worker(0, [&](auto&) { submit(make()); })();
    auto* last = make();
    const auto fail_to_submit = workers.as_worker(0, [&](auto&) {
        const failing_memory memory{1, failing::for_good};
        EXPECT_THROW(submit(last), std::bad_alloc);
    });
    EXPECT_TRUE(wakes_sleeper(workers.core(), 1, fail_to_submit));
    workers.as_worker(0, [&](detail::worker& self) {
        while (detail::task* each = queue.owner_pop()) each->run(*each, self);
    })();
}

TEST(memory, that_a_cache_of_blocks_keeps_is_bounded_and_given_back) {
    using small_depot = detail::block_depot<64, 16, 2, 1>;
    const std::int64_t before = live_allocations();
    {
        small_depot depot;
        detail::basic_block_cache<small_depot> cache{depot};
        const auto fill = [&] {
            for (int i = 0; i < 10; ++i) cache.free(small_depot::heap_allocate());
        };
        fill();
        EXPECT_EQ(live_allocations(), before + 6) << "two chains of two here, and one in the depot";
        for (int i = 0; i < 3; ++i) small_depot::heap_free(cache.allocate());
        EXPECT_EQ(live_allocations(), before + 3);
        fill();
        EXPECT_EQ(live_allocations(), before + 6);
    }
    EXPECT_EQ(live_allocations(), before);
}

/// A closure that fits into no block.
auto large_closure() {
    return [content = std::array<char, 1000>{}] { return content[0]; };
}

/// Tasks of each size, from outside and from inside, run, dropped, refused and followed.
void use_a_pool() {
    pool workers{2};
    const auto use = [&workers] {
        workers.submit([] { return 1; }).get();
        workers.submit(large_closure()).get();
        workers.submit(large_closure());
        workers.post([] {});
        workers.post(large_closure());
        workers.submit([] {}).then([](future<void>) {});
    };
    use();
    workers.run([&] {
        use();
        for (int i = 0; i < 200; ++i) { // joined out of turn
            future<void> first = workers.submit([] {});
            workers.submit([] {}).get();
            first.get();
            first = workers.submit([] {});
            future<void> second = workers.submit([] {});
            first.get();
            second.get();
        }
        task_group group;
        group.submit([] {});
        group.submit(large_closure());
        group.wait();
        const auto throws = []() -> std::string { throw std::string(100, 'x'); };
        EXPECT_THROW(fork_join(throws, throws, throws), std::string);
    });
    future<void> late = workers.submit([] {});
    workers.stop();
    EXPECT_THROW(workers.post(large_closure()), error);
    EXPECT_THROW(workers.submit([] {}), error);
    std::move(late).then([](future<void>) {});
}

TEST(memory, is_given_back_when_a_pool_has_ended) {
    use_a_pool(); // some is kept for good
    const std::int64_t before = live_allocations();
    for (int round = 0; round < 10; ++round) use_a_pool();
    EXPECT_EQ(live_allocations(), before);
}

} // namespace
} // namespace weft::test
