#include "pool/cpu_placement.hpp"

#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <thread>

namespace weft::inline v0::detail {
namespace {

/// Whether it usually ends on another CPU than it began on. The kernel may move the thread at any
/// time, so one try says little.
bool usually_moves(const std::function<void(cpu_placement&)>& calls) {
    int moved = 0;
    std::thread{[&] {
        for (int i = 0; i < 100; ++i) {
            const std::size_t before = sync::current_cpu();
            cpu_placement placement{3, false};
            calls(placement);
            moved += sync::current_cpu() != before;
        }
    }}.join();
    return moved > 50;
}

class cpu_placement_on_several : public testing::Test {
protected:
    void SetUp() override {
        if (sync::allowed_cpus().size() < 2) GTEST_SKIP() << "there is one CPU";
    }
};

TEST_F(cpu_placement_on_several, starts_the_first_worker_away_from_the_creator) {
    EXPECT_TRUE(usually_moves([](cpu_placement& placement) { placement.begin(0); }));
}

TEST_F(cpu_placement_on_several, leaves_a_worker_that_is_alone_where_it_wakes) {
    EXPECT_FALSE(usually_moves([](cpu_placement& placement) {
        placement.settle(0);
        placement.settle(0); // it does not take its own place for another's
    }));
}

TEST_F(cpu_placement_on_several, moves_a_worker_that_wakes_where_another_is) {
    EXPECT_TRUE(usually_moves([](cpu_placement& placement) {
        placement.settle(0);
        placement.settle(1);
    }));
}

TEST_F(cpu_placement_on_several, forgets_where_a_worker_was_that_sleeps) {
    EXPECT_FALSE(usually_moves([](cpu_placement& placement) {
        placement.settle(0);
        placement.leave(0);
        placement.settle(1);
    }));
}

TEST(cpu_placement, remembers_where_a_worker_went) {
    if (sync::allowed_cpus().size() != 2) GTEST_SKIP() << "there are not two CPUs";
    EXPECT_FALSE(usually_moves([](cpu_placement& placement) {
        placement.settle(0);
        placement.settle(1); // goes to the other CPU
        placement.leave(0);
        placement.settle(2); // comes back
    }));
}

TEST(cpu_placement, starts_the_last_worker_with_the_creator) {
    if (sync::allowed_cpus().size() != 2) GTEST_SKIP() << "there are not two CPUs";
    EXPECT_FALSE(usually_moves([](cpu_placement& placement) { placement.begin(1); }));
}

/// There may be no better place.
TEST(cpu_placement, leaves_a_worker_where_it_is_when_every_cpu_is_taken) {
    std::thread{[] {
        const std::size_t only = sync::current_cpu();
        sync::stay_on_cpu(only);
        cpu_placement placement{2, false};
        placement.settle(0);
        placement.settle(1);
        EXPECT_EQ(sync::current_cpu(), only);
    }}.join();
}

} // namespace
} // namespace weft::inline v0::detail
