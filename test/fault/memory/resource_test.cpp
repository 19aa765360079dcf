// Whichever allocation fails, the call says so, and the resources are passed on.
#include "fault/memory/failing_memory.hpp"

#include <weft/completion.hpp>
#include <weft/error.hpp>
#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

/// All kinds of tasks on a few resources.
class office {
public:
    explicit office(pool& workers) : workers_{workers} {}

    /// Counts what was submitted; each submission may throw std::bad_alloc.
    void submit_all(std::vector<future<int>>& results) {
        results.reserve(64);
        for (int i = 0; i < 10; ++i) {
            results.push_back(when(a_, read(b_), net_).submit(workers_, [](int& x, const int&) {
                const std::string text(100, 'x');
                ++x;
                return static_cast<int>(text.size());
            }));
            results.push_back(
                when(b_, c_, keys_(i), take(net_, 2)).submit(workers_, [this](int& x, int&) {
                    ++x;
                    ++submitted_;
                    when(a_, c_).submit([mark = end_mark{ended_}](int& y, int&) { ++y; });
                    return 100;
                }));
            const std::array<resource<int>*, 3> some{&b_, &a_, &b_};
            results.push_back(when(some).submit(workers_, [](std::span<int* const> all) {
                return static_cast<int>(all.size()) + 97;
            }));
        }
        results.push_back(when(c_).hold<std::string>(
            workers_,
            [](int&, completion<std::string> done) { done.complete(std::string(100, 'x')); },
            [](int&, future<std::string> done) { return static_cast<int>(done.get().size()); }));
        auto chained = when(a_).submit(workers_, [](int&) { return 99; });
        results.push_back(
            std::move(chained).then([](future<int> before) { return before.get() + 1; }));
        completion<int> done{workers_};
        results.push_back(done.get_future());
        done.complete(100);
    }
    /// True if everything went well; nothing is lost in any case.
    bool use() {
        std::vector<future<int>> results;
        bool well = true;
        try {
            submit_all(results);
        } catch (const std::bad_alloc&) {
            well = false;
        } catch (const error& broken) { // the completion was dropped on the way
            EXPECT_EQ(broken.code(), errc::broken);
            well = false;
        }
        for (auto& each : results) {
            try {
                EXPECT_EQ(each.get(), 100);
            } catch (const std::bad_alloc&) {
                well = false;
            } catch (const error& broken) {
                EXPECT_EQ(broken.code(), errc::broken);
                well = false;
            }
        }
        return well;
    }

    /// Also of those whose future nobody has.
    void await_end() {
        while (submitted_ != ended_) std::this_thread::yield();
        when(a_, c_).submit(workers_, [](int&, int&) {}).get(); // they have left
    }

private:
    /// Counts the end of a callable, whether it was called or not.
    struct end_mark {
        std::atomic<int>* ended;
        explicit end_mark(std::atomic<int>& count) : ended{&count} {}
        end_mark(end_mark&& other) noexcept : ended{std::exchange(other.ended, nullptr)} {}
        end_mark& operator=(end_mark&&) = delete;
        ~end_mark() {
            if (ended != nullptr) ++*ended;
        }
    };

    pool& workers_;
    std::atomic<int> submitted_{0};
    std::atomic<int> ended_{0};
    resource<int> a_{0};
    resource<int> b_{0};
    resource<int, exclusive> c_{0};
    limit net_{3};
    key_space keys_{4};
};

bool use_office(pool& workers, std::uint64_t allocation, failing mode) {
    bool failed = false;
    bool well = false;
    office all{workers};
    {
        const failing_memory memory{allocation, mode};
        // From a thread of its own, whose first submission makes what a thread needs for that.
        std::optional<std::thread> submitter;
        try {
            submitter.emplace([&] { well = all.use(); });
        } catch (const std::bad_alloc&) {
        }
        if (submitter) submitter->join();
        failed = memory.failed();
    }
    EXPECT_TRUE(failed || well);
    EXPECT_TRUE(all.use()) << "allocation " << allocation << " spoilt the resources";
    all.await_end();
    return failed;
}

void for_each_allocation(failing mode) {
    std::atomic<int> unasked = 0;
    pool_options options{.workers = 2};
    options.on_error = [&](const std::exception_ptr&) { ++unasked; };
    std::uint64_t allocation = 1;
    pool workers{std::move(options)};
    while (use_office(workers, allocation, mode)) {
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "allocation " << allocation;
        ASSERT_LT(++allocation, 100'000U) << "it never succeeds";
    }
    EXPECT_GT(allocation, 10U) << "too few allocations for this to test anything";
    workers.stop();
}

TEST(memory_of_resource_tasks, whichever_allocation_fails_the_resources_are_passed_on) {
    for_each_allocation(failing::once);
}

TEST(memory_of_resource_tasks, when_memory_ends_the_resources_are_passed_on) {
    for_each_allocation(failing::for_good);
}

/// The error itself cannot be made then; the turn goes on all the same.
TEST(memory_of_resource_tasks, one_that_is_cancelled_without_memory_gives_bad_alloc) {
    pool workers{1};
    resource<int> a{0};
    std::stop_source source;
    std::atomic<bool> begun = false;
    std::atomic<bool> go = false;
    auto busy = when(a).submit(workers, [&](int&) {
        begun = true;
        begun.notify_all();
        go.wait(false);
    });
    begun.wait(false);
    auto cancelled = when(a).submit(workers, {.stop = source.get_token()}, [](int&) { return 1; });
    auto next = when(a).submit(workers, [](int&) { return 2; });
    source.request_stop();
    {
        const failing_memory memory{1, failing::for_good};
        go = true;
        go.notify_all();
        EXPECT_EQ(next.get(), 2);
        cancelled.wait();
    }
    EXPECT_THROW(cancelled.get(), std::bad_alloc);
    busy.get();
}

/// They share what is allocated.
TEST(memory_of_resource_names, is_not_allocated_for_each) {
    resource<int> named{0};
    std::array<std::optional<resource_name>, 100> names;
    const std::int64_t before = live_allocations();
    for (auto& each : names) each.emplace(named, "x");
    EXPECT_LT(live_allocations() - before, 50);
}

} // namespace
} // namespace weft::test
