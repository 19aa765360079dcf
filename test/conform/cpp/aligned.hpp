#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace weft::test {

/// A number that checks, wherever it is made, copied or destroyed, that it is aligned as it asks
/// for.
template <std::size_t Alignment>
struct alignas(Alignment) aligned {
    int value;
    explicit aligned(int number) : value{number} { check(); }
    aligned(const aligned& other) : value{other.value} { check(); }
    aligned& operator=(const aligned&) = default;
    ~aligned() { check(); }
    void check() const { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0U); }
};

} // namespace weft::test
