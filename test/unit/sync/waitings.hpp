// The two ways to wait, for tests that hold for both.
#pragma once

#include <weft/detail/sync/waiting.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <string>

namespace weft::test {

using waitings = testing::Types<sync::futex_waiting, sync::portable_waiting>;

struct waiting_name {
    template <class Waiting>
    static std::string GetName(int) {
        return std::same_as<Waiting, sync::futex_waiting> ? "futex" : "portable";
    }
};

} // namespace weft::test
