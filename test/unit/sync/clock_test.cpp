#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <concepts>

namespace weft::inline v0::sync {
namespace {

static_assert(clock::is_steady);
static_assert(std::same_as<decltype(clock::now()), clock::time_point>);

TEST(clock, does_not_go_back) {
    auto before = clock::now();
    for (int count = 0; count < 10'000; ++count) {
        const auto now = clock::now();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(clock, goes_on) {
    const auto start = clock::now();
    while (clock::now() == start) yield();
    EXPECT_GT(clock::now(), start);
}

TEST(clock, is_the_same_for_all_threads) {
    const auto before = clock::now();
    clock::time_point on_thread;
    thread{{}, [&] { on_thread = clock::now(); }}.join();
    EXPECT_GE(on_thread, before);
    EXPECT_LE(on_thread, clock::now());
}

} // namespace
} // namespace weft::inline v0::sync
