// What every stage promises of its numbers.
#pragma once

#include <weft/stage.hpp>

#include <gtest/gtest.h>

namespace weft::test {

inline void expect_adds_up(const stage_statistics& seen) {
    EXPECT_EQ(seen.entered, seen.done + seen.failed + seen.dropped + seen.running + seen.queued)
        << seen.name;
}

/// The numbers of a stage that has nothing to do.
inline void expect_ended(const stage_statistics& seen, std::uint64_t done, std::uint64_t failed = 0,
                         std::uint64_t dropped = 0) {
    expect_adds_up(seen);
    EXPECT_EQ(seen.done, done) << seen.name;
    EXPECT_EQ(seen.failed, failed) << seen.name;
    EXPECT_EQ(seen.dropped, dropped) << seen.name;
    EXPECT_EQ(seen.queued + seen.running, 0U) << seen.name;
}

} // namespace weft::test
