// A resource that is used wrongly: an error that names the call, or the end of the program in
// checked builds.
#include "conform/cpp/rendezvous.hpp"
#include "misuse/misuse.hpp"

#include <weft/completion.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {
namespace {

TEST(misuse_of_resources, is_an_error_that_names_the_call) {
    resource<int> a{0}; // before the pool, which ends first and runs what is queued
    limit net{2};
    pool workers{1};
    pool stopped{1};
    stopped.stop();
    completion<int> used{workers};
    static_cast<void>(used.get_future());
    const std::vector<test::misuse> table = {
        {"weft::when", errc::outside_pool, [&] { when(a).submit([](int&) {}); }},
        {"weft::when", errc::stopped, [&] { when(a).submit(stopped, [](int&) {}); }},
        {"weft::when", errc::overweight, [&] { when(take(net, 3)).submit(workers, [] {}); }},
        {"weft::when", errc::invalid_argument, [&] { when(take(net, 0)).submit(workers, [] {}); }},
        {"weft::when", errc::overweight,
         [&] { when(std::vector{take(net, 1), take(net, 3)}).submit(workers, [] {}); }},
        {"weft::when", errc::invalid_argument,
         [&] { when(std::vector{take(net, 0)}).submit(workers, [] {}); }},
        {"weft::limit", errc::invalid_argument, [] { const limit none{0}; }},
        {"weft::key_space", errc::invalid_argument, [] { const key_space none{0}; }},
        {"weft::completion", errc::outside_pool, [] { const completion<int> none; }},
        {"weft::completion::get_future", errc::invalid_argument,
         [&] { static_cast<void>(used.get_future()); }},
        {"weft::future::get", errc::would_deadlock,
         [&] { workers.run([&] { when(a).submit([](int&) {}).get(); }); }},
        {"weft::future::wait_for", errc::would_deadlock,
         [&] {
             workers.run([&] { when(a).submit([](int&) {}).wait_for(std::chrono::seconds{1}); });
         }},
    };
    for (const test::misuse& each : table) {
        try {
            each.wrong();
            ADD_FAILURE() << each.call << " is no error";
        } catch (const error& thrown) {
            EXPECT_EQ(thrown.code(), each.code) << each.call;
            EXPECT_TRUE(std::string{thrown.what()}.starts_with(std::string{each.call} + ":"))
                << thrown.what();
        }
    }
    used.complete(1);
}

void end_a_resource_too_early() {
    pool workers{1};
    test::event go;
    auto gone = std::make_unique<resource<int>>(0);
    auto busy = when(*gone).submit(workers, [&](int&) { go.await(); });
    gone.reset();
}

void end_a_resource_in_its_task() {
    pool workers{1};
    auto gone = std::make_unique<resource<int, exclusive>>(0);
    when(*gone).submit(workers, [&](int&) { gone.reset(); }).get();
}

void end_a_limit_too_early() {
    pool workers{1};
    test::event go;
    std::optional<limit> gone{std::in_place, 1U};
    auto busy = when(*gone).submit(workers, [&] { go.await(); });
    auto waits = when(*gone).submit(workers, [] {});
    gone.reset();
}

void end_keys_too_early() {
    pool workers{1};
    test::event go;
    std::optional<key_space> gone{std::in_place, 4U};
    auto busy = when((*gone)("a")).submit(workers, [&] { go.await(); });
    auto waits = when((*gone)("a")).submit(workers, [] {});
    gone.reset();
}

TEST(misuse_of_resources_DeathTest, one_that_ends_while_tasks_want_it_ends_the_program) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(end_a_resource_too_early(), "weft::resource: destroyed while a task needs it");
    EXPECT_DEATH(end_a_resource_in_its_task(), "weft::resource: destroyed while a task needs it");
    EXPECT_DEATH(end_a_limit_too_early(), "weft::limit: destroyed while a task needs it");
    EXPECT_DEATH(end_keys_too_early(), "weft::key_space: destroyed while a task needs a key");
}

} // namespace
} // namespace weft
