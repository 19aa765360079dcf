// How many contracts are claimed together.
#include "support/sanitizers.h"
#include "sync/asymmetric_fence.hpp"
#include "unit/sync/forbidden_fence.hpp"

#include <weft/contract.hpp>
#include <weft/detail/sync/clock.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

namespace weft {
namespace {

/// Two contracts of one block. The first schedules the second once more, which leads to another run
/// only if the second was claimed together with the first.
struct neighbours {
    std::chrono::microseconds length{0}; ///< of a run, at least
    int runs = 0;
    contract_group group;
    contract first = group.create([this] {
        second.schedule();
        take_long();
    });
    contract second = group.create([this] {
        ++runs;
        take_long();
    });

    [[nodiscard]] bool are_claimed_together() {
        runs = 0;
        first.schedule();
        second.schedule();
        group.execute_some(4);
        return runs == 2;
    }
    void take_long() const {
        const auto start = sync::clock::now();
        while (sync::clock::now() - start < length) {
        }
    }
};

/// How long the contracts take is not known yet: one batch in eight is timed.
TEST(contract_execution_alone, contracts_are_claimed_together_before_they_have_been_timed) {
    neighbours both;
    EXPECT_TRUE(both.are_claimed_together());
    EXPECT_TRUE(both.are_claimed_together());
}

TEST(contract_execution_alone, contracts_that_take_long_are_claimed_one_by_one) {
    neighbours both;
    both.length = std::chrono::microseconds{100};
    for (int i = 0; i < 8; ++i) static_cast<void>(both.are_claimed_together());
    EXPECT_FALSE(both.are_claimed_together()) << "they have been timed";
}

/// No thread could free the rest of a batch. A process may restrict its own system calls at any
/// time: here a child does.
TEST(contract_execution_alone, contracts_are_claimed_one_by_one_without_the_fence) {
    if (WEFT_THREAD_SANITIZED) GTEST_SKIP() << "it is another fence";
    const auto run_without = [] {
        if (!test::forbid_the_fence()) std::_Exit(0);
        static_cast<void>(sync::heavy_fence());
        neighbours both;
        std::_Exit(both.are_claimed_together() == sync::heavy_fence_works() ? 0 : 1);
    };
    EXPECT_EXIT(run_without(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace weft
