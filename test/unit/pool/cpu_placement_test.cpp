#include "pool/cpu_placement.hpp"

#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

namespace weft::inline v0::detail {
namespace {

/// Where workers wake decides speed, which no test measures; but there may be no better place.
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
