// Shared by both sorts: numbers in random order, and the check of the result.
#pragma once

#include "runner/timed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

using values = std::span<std::uint32_t>;

/// Shorter parts go to std::sort.
inline constexpr std::size_t sorting_grain = 1'000;

[[gnu::noinline]] inline void sort_grain(values some) { std::ranges::sort(some); }

/// The numbers to sort, and scratch space of the same size.
struct sorting_state {
    std::vector<std::uint32_t> data;
    std::vector<std::uint32_t> space;
};

class sorting_problem {
public:
    sorting_problem(std::size_t count, std::int64_t tasks) : count_{count}, tasks_{tasks} {}
    [[nodiscard]] parameters describe() const {
        return {{"n", static_cast<std::int64_t>(count_)},
                {"grain", static_cast<std::int64_t>(sorting_grain)}};
    }
    [[nodiscard]] std::int64_t tasks() const { return tasks_; }
    [[nodiscard]] sorting_state make() const {
        sorting_state made{std::vector<std::uint32_t>(count_), std::vector<std::uint32_t>(count_)};
        for (std::size_t i = 0; i != count_; ++i) made.data[i] = scrambled(i);
        return made;
    }
    /// `scrambled` is one-to-one, so sorted values with the right sum are the original ones, except
    /// for very unlikely mistakes.
    void check(const sorting_state& state, int /*result*/) const {
        expect_equal("sorted", std::ranges::is_sorted(state.data), true);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i != count_; ++i) expected += spread(scrambled(i));
        std::uint64_t found = 0;
        for (const std::uint32_t each : state.data) found += spread(each);
        expect_equal("checksum", found, expected);
    }

private:
    static std::uint32_t scrambled(std::size_t index) {
        auto x = static_cast<std::uint32_t>(index) * 0x9E37'79B9U;
        x = (x ^ (x >> 16)) * 0x85EB'CA6BU;
        x = (x ^ (x >> 13)) * 0xC2B2'AE35U;
        return x ^ (x >> 16);
    }
    static std::uint64_t spread(std::uint64_t value) { return value * value * value + value; }

    std::size_t count_;
    std::int64_t tasks_;
};

} // namespace bench
