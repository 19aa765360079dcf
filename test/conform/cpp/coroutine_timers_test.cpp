// Coroutines that await timers.
#include "conform/cpp/rendezvous.hpp"

#include <weft/coroutine.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/timer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <utility>
#include <vector>

namespace weft::coroutine_timers_test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using test::event;

task<clock::duration> nap(clock::duration length) {
    const clock::time_point before = clock::now();
    co_await sleep_for(length);
    co_return clock::now() - before;
}

TEST(coroutine_timers, a_sleep_is_never_too_short) {
    pool workers{2};
    EXPECT_GE(workers.run(nap(2ms)), 2ms);
    EXPECT_GE(workers.run(nap(-1h)), 0ms);
}

TEST(coroutine_timers, many_sleep_at_once_on_one_worker) {
    pool workers{1};
    std::vector<future<clock::duration>> naps;
    for (int each = 0; each < 1'000; ++each) naps.push_back(workers.submit(nap(1ms)));
    for (auto& each : naps) EXPECT_GE(each.get(), 1ms);
}

task<> sleep_until_stopped(event& sleeping) {
    sleeping.happen();
    co_await sleep_until(clock::time_point::max());
}

errc end_of(future<void>& ended) {
    try {
        ended.get();
    } catch (const error& failed) {
        return failed.code();
    }
    return errc{0xff};
}

TEST(coroutine_timers, a_stop_ends_a_sleep) {
    pool workers{1};
    event sleeping;
    const std::stop_source stop;
    future<void> ended =
        workers.submit(task_options{stop.get_token()}, sleep_until_stopped(sleeping));
    sleeping.await();
    stop.request_stop();
    EXPECT_EQ(end_of(ended), errc::cancelled);
}

TEST(coroutine_timers, the_end_of_the_pool_ends_a_sleep) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        pool workers{1};
        event sleeping;
        future<void> ended = workers.submit(sleep_until_stopped(sleeping));
        sleeping.await();
        workers.stop(mode);
        EXPECT_EQ(end_of(ended), errc::not_run);
    }
}

task<> change_slowly(resource<int>& shared) {
    auto held = co_await when(shared);
    const int before = held.get<0>();
    co_await sleep_for(1ms); // nobody else has it meanwhile
    held.get<0>() = before + 1;
}

TEST(coroutine_timers, resources_are_kept_while_it_sleeps) {
    resource<int> shared{0};
    pool workers{2};
    std::vector<future<void>> changes;
    for (int each = 0; each < 10; ++each) changes.push_back(workers.submit(change_slowly(shared)));
    for (auto& each : changes) each.get();
    EXPECT_EQ(when(shared).submit(workers, [](int& value) { return value; }).get(), 10);
}

} // namespace
} // namespace weft::coroutine_timers_test
