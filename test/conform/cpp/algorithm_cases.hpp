// What the tests of the parallel algorithms share: pools, sizes, options and element types.
#pragma once

#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/algorithm.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

/// On pools of each number of workers.
class algorithm_on : public testing::TestWithParam<std::size_t> {
protected:
    /// Calls `check(options)` on a worker: with a grain so small that hungry workers divide
    /// everything, with others, and as people call it.
    template <class Check>
    void with_each_grain(Check check) {
        for (const std::size_t grain : {0U, 1U, 3U, 64U}) {
            workers.run([&] { check(parallel_options{.grain = grain}); });
        }
    }
    /// The same for each size.
    template <class Check>
    void with_each_size(Check check) {
        for (const std::size_t size : sizes) {
            with_each_grain([&](const parallel_options& options) { check(size, options); });
        }
    }
    /// Calls `check(size)` on a worker for a large size.
    template <class Check>
    void with_large_size(Check check) {
        const std::size_t size = scaled(sanitized ? 100'000 : 1'000'000, 10'000'000);
        workers.run([&] { check(size); });
    }

    static constexpr std::size_t sizes[] = {0, 1, 2, 3, 5, 16, 17, 127, 128, 129, 1009, 4095, 4097};
    pool workers{GetParam()};
    std::mt19937 random{1}; // NOLINT(bugprone-random-generator-seed): the same numbers each time
};

inline std::vector<int> random_numbers(std::mt19937& random, std::size_t size, int most = 1000) {
    std::vector<int> made(size);
    for (int& each : made) each = static_cast<int>(random() % static_cast<unsigned>(most));
    return made;
}

/// A number that cannot be copied.
struct moved_number {
    std::unique_ptr<int> value;
    explicit moved_number(int number) : value{std::make_unique<int>(number)} {}
    friend bool operator==(const moved_number& a, const moved_number& b) {
        return *a.value == *b.value;
    }
    friend auto operator<=>(const moved_number& a, const moved_number& b) {
        return *a.value <=> *b.value;
    }
};

template <class T>
T made_from(int number) {
    if constexpr (std::same_as<T, std::string>)
        return "a long string, number " + std::to_string(number);
    else return T(number);
}
template <class T>
std::vector<T> made_from(const std::vector<int>& numbers) {
    std::vector<T> made;
    made.reserve(numbers.size());
    for (const int each : numbers) made.push_back(made_from<T>(each));
    return made;
}

/// Throws in one of a number of calls, or in many.
struct thrown_at : std::runtime_error {
    explicit thrown_at(std::size_t place)
        : std::runtime_error{"thrown at " + std::to_string(place)}, index{place} {}
    std::size_t index;
};

} // namespace weft::test
