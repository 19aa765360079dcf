// A wrong call is an error that names the call.
#include "conform/cpp/rendezvous.hpp"
#include "misuse/misuse.hpp"

#include <weft/future.hpp>
#include <weft/task_group.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

/// What is wrong with each future: it was never made, was moved from, or its result was taken.
std::vector<std::pair<const char*, std::function<future<int>()>>> invalid_futures() {
    return {
        {"empty", [] { return future<int>{}; }},
        {"moved from",
         [] {
             pool workers{1};
             future<int> first = workers.submit([] { return 1; });
             const future<int> second = std::move(first);
             return first; // NOLINT(bugprone-use-after-move): that is the misuse
         }},
        {"taken",
         [] {
             pool workers{1};
             future<int> first = workers.submit([] { return 1; });
             static_cast<void>(first.get());
             return first;
         }},
        {"continued",
         [] {
             pool workers{1};
             future<int> first = workers.submit([] { return 1; });
             std::move(first).then([](future<int> before) { return before.get(); }).wait();
             return first; // NOLINT(bugprone-use-after-move): that is the misuse
         }},
    };
}

void expect(const test::misuse& wrong, const char* state) {
    try {
        wrong.wrong();
        ADD_FAILURE() << wrong.call << " of a future that is " << state << " is no error";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), wrong.code) << wrong.call << ", " << state;
        EXPECT_TRUE(std::string{thrown.what()}.starts_with(std::string{wrong.call} + ":"))
            << thrown.what();
    }
}

TEST(misuse_of_a_future, without_a_task_is_an_error_of_each_call) {
    for (const auto& [state, make] : invalid_futures()) {
        future<int> wrong = make();
        EXPECT_FALSE(wrong.valid());
        const std::vector<test::misuse> table = {
            {"weft::future::get", errc::invalid_argument, [&] { wrong.get(); }},
            {"weft::future::wait", errc::invalid_argument, [&] { wrong.wait(); }},
            {"weft::future::wait_for", errc::invalid_argument,
             [&] { wrong.wait_for(std::chrono::seconds{1}); }},
            {"weft::future::ready", errc::invalid_argument,
             [&] { static_cast<void>(wrong.ready()); }},
            {"weft::future::then", errc::invalid_argument,
             [&] { static_cast<void>(std::move(wrong).then([](future<int>) {})); }},
        };
        for (const test::misuse& each : table) expect(each, state);
    }
}

TEST(misuse_of_a_future, costs_a_worker_nothing) {
    pool workers{1};
    for (const auto& [state, make] : invalid_futures()) {
        future<int> wrong = make();
        EXPECT_EQ(workers.run([&] { return test::error_of([&] { wrong.get(); }); }),
                  "invalid_argument")
            << state;
    }
}

TEST(misuse_of_a_pool, is_an_error_that_names_the_call) {
    pool stopped{1};
    stopped.stop();
    pool workers{1};
    task_group late{stopped};
    const std::vector<test::misuse> table = {
        {"weft::pool::submit", errc::stopped, [&] { stopped.submit([] {}); }},
        {"weft::pool::submit", errc::stopped, [&] { stopped.run([] {}); }},
        {"weft::pool::submit", errc::stopped, [&] { late.submit([] {}); }},
        {"weft::pool::run", errc::would_deadlock,
         [&] { workers.run([&] { workers.run([] {}); }); }},
        {"weft::pool::stop", errc::would_deadlock, [&] { workers.run([&] { workers.stop(); }); }},
        {"weft::fork_join", errc::outside_pool, [] { fork_join([] {}, [] {}); }},
        {"weft::task_group", errc::outside_pool, [] { const task_group group; }},
    };
    for (const test::misuse& each : table) expect(each, "right");
}

} // namespace
} // namespace weft
