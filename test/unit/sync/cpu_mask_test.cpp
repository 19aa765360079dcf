#include "sync/cpu_mask.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace weft::inline v0::sync {
namespace {

/// A kernel made for `possible` CPUs, on which a process may use `allowed`.
struct fake_kernel {
    std::size_t possible;
    std::vector<std::size_t> allowed;
    int calls = 0;

    int operator()(std::size_t bytes, cpu_set_t* set) {
        ++calls;
        if (bytes * 8 < possible) {
            errno = EINVAL;
            return -1;
        }
        std::memset(set, 0, bytes);
        for (const std::size_t cpu : allowed) CPU_SET_S(cpu, bytes, set);
        return 0;
    }
};

TEST(cpu_mask, has_what_the_kernel_says) {
    fake_kernel small{.possible = 64, .allowed = {0, 5, 63}};
    const cpu_mask mask = cpu_mask::read_by([&](auto... call) { return small(call...); });
    EXPECT_EQ(mask.cpus(), (std::vector<std::size_t>{0, 5, 63}));
    EXPECT_EQ(small.calls, 1);
}

TEST(cpu_mask, grows_until_the_kernel_is_content) {
    fake_kernel large{.possible = 8'192, .allowed = {3, 1'024, 8'191}};
    const cpu_mask mask = cpu_mask::read_by([&](auto... call) { return large(call...); });
    EXPECT_EQ(mask.cpus(), (std::vector<std::size_t>{3, 1'024, 8'191}));
    EXPECT_TRUE(mask.contains(8'191));
    EXPECT_FALSE(mask.contains(8'190));
    EXPECT_FALSE(mask.contains(1'000'000));
}

TEST(cpu_mask, is_empty_if_the_kernel_refuses) {
    const cpu_mask mask = cpu_mask::read_by([](std::size_t /*bytes*/, cpu_set_t* /*set*/) {
        errno = EPERM;
        return -1;
    });
    EXPECT_TRUE(mask.cpus().empty());
    fake_kernel endless{.possible = std::size_t{1} << 30, .allowed = {}};
    EXPECT_TRUE(cpu_mask::read_by([&](auto... call) { return endless(call...); }).cpus().empty());
}

TEST(cpu_mask, takes_cpus_beyond_those_of_a_cpu_set) {
    cpu_mask one{5'001};
    one.add(5'000);
    EXPECT_EQ(one.cpus(), std::vector<std::size_t>{5'000});
    cpu_mask few{8};
    few.add(7);
    EXPECT_EQ(few.cpus(), std::vector<std::size_t>{7});
}

} // namespace
} // namespace weft::inline v0::sync
