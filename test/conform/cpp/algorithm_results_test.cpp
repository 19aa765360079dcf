#include <weft/algorithm.hpp>

#include "conform/cpp/algorithm_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

class parallel_results_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, parallel_results_on, testing::Values(1, 2, 3, 8));

// Reductions

TEST_P(parallel_results_on, reduce_is_that_of_the_standard) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const std::vector<int> numbers = random_numbers(random, size);
        const std::int64_t expected = std::accumulate(numbers.begin(), numbers.end(), 5L);
        EXPECT_EQ(parallel_reduce(numbers, 5L, {}, options), expected);
        EXPECT_EQ(parallel_reduce(numbers.begin(), numbers.end(), 5L, std::plus<>{}, options),
                  expected);
        parallel_options fixed = options;
        fixed.reproducible = true;
        EXPECT_EQ(parallel_reduce(numbers, 5L, std::plus<>{}, fixed), expected);
    });
    workers.run([] { EXPECT_EQ(parallel_reduce(std::vector<int>{1, 2, 3}), 6); });
    with_large_size([](std::size_t size) {
        const std::vector<int> ones(size, 1);
        EXPECT_EQ(parallel_reduce(ones, std::size_t{0}), size);
    });
}

TEST_P(parallel_results_on, operands_keep_their_order) {
    with_each_size([](std::size_t size, const parallel_options& options) {
        const auto text = [](std::size_t index) { return std::to_string(index % 10); };
        std::string expected = ">";
        for (std::size_t i = 0; i != size; ++i) expected += text(i);
        for (const bool fixed : {false, true}) {
            parallel_options each = options;
            each.reproducible = fixed;
            EXPECT_EQ(parallel_transform_reduce(std::size_t{0}, size, std::string{">"},
                                                std::plus<>{}, text, each),
                      expected);
        }
    });
}

TEST_P(parallel_results_on, move_only_results_are_combined) {
    with_each_grain([](const parallel_options& options) {
        const auto add = [](moved_number a, moved_number b) {
            return moved_number{*a.value + *b.value};
        };
        const auto make = [](int index) { return moved_number{index}; };
        for (const bool fixed : {false, true}) {
            parallel_options each = options;
            each.reproducible = fixed;
            EXPECT_EQ(*parallel_transform_reduce(0, 100, moved_number{0}, add, make, each).value,
                      4950);
        }
    });
}

TEST(reproducible_reduce, has_the_same_bits_on_any_number_of_workers) {
    const auto term = [](int index) { return 1.0 / (1.0 + index); };
    for (const int size : {1, 2, 63, 64, 65, 1000, 100'003}) {
        std::optional<double> first;
        for (const std::size_t count : {1U, 2U, 3U, 8U}) {
            pool workers{count};
            const parallel_options options{.reproducible = true};
            const auto sum = [&] {
                return parallel_transform_reduce(0, size, 0.0, std::plus<>{}, term, options);
            };
            for (int round = 0; round != 5; ++round) {
                const double found = workers.run(sum);
                if (!first) first = found;
                EXPECT_EQ(std::bit_cast<std::uint64_t>(found),
                          std::bit_cast<std::uint64_t>(*first));
            }
            EXPECT_EQ(*first, parallel_transform_reduce(workers, 0, size, 0.0, std::plus<>{}, term,
                                                        options));
        }
    }
}

TEST_P(parallel_results_on, count_and_min_max_are_those_of_the_standard) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const std::vector<int> numbers = random_numbers(random, size, 50);
        const auto is_small = [](int each) { return each < 20; };
        EXPECT_EQ(parallel_count_if(numbers, is_small, {}, options),
                  std::ranges::count_if(numbers, is_small));
        const auto expected = std::ranges::minmax_element(numbers);
        const auto found = parallel_min_max(numbers, {}, {}, options);
        EXPECT_EQ(found.min - numbers.begin(), expected.min - numbers.begin());
        EXPECT_EQ(found.max - numbers.begin(), expected.max - numbers.begin());
        const auto reversed = parallel_min_max(numbers, std::greater<>{}, std::negate<>{}, options);
        EXPECT_EQ(reversed.min - numbers.begin(), expected.min - numbers.begin());
    });
}

TEST_P(parallel_results_on, a_reduction_that_throws_ends_with_the_first_exception) {
    with_each_grain([](const parallel_options& options) {
        for (const bool fixed : {false, true}) {
            parallel_options each = options;
            each.reproducible = fixed;
            const auto fail = [](std::size_t index) {
                if (index >= 17) throw thrown_at{index};
                return index;
            };
            EXPECT_THROW(parallel_transform_reduce(std::size_t{0}, std::size_t{1000},
                                                   std::size_t{0}, std::plus<>{}, fail, each),
                         thrown_at);
        }
    });
}

// Searches

TEST_P(parallel_results_on, the_first_match_is_found) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const std::vector<int> numbers = random_numbers(random, size, 100);
        for (const int wanted : {7, 50, 200}) {
            const auto matches = [wanted](int each) { return each == wanted; };
            const auto expected = std::ranges::find(numbers, wanted);
            EXPECT_EQ(parallel_find(numbers, wanted, {}, options), expected);
            EXPECT_EQ(parallel_find(numbers.begin(), numbers.end(), wanted, {}, options), expected);
            EXPECT_EQ(parallel_find_if(numbers, matches, {}, options), expected);
            EXPECT_EQ(parallel_any_of(numbers, matches, {}, options), expected != numbers.end());
            EXPECT_EQ(parallel_none_of(numbers, matches, {}, options), expected == numbers.end());
            EXPECT_EQ(parallel_all_of(numbers, std::not_fn(matches), {}, options),
                      expected == numbers.end());
        }
    });
}

TEST_P(parallel_results_on, the_rest_is_not_looked_at) {
    std::atomic<int> looked{0};
    const auto at_once = [&](int) {
        ++looked;
        return true;
    };
    const std::vector<int> numbers(100'000);
    workers.run([&] {
        EXPECT_TRUE(parallel_any_of(numbers, at_once, {}, {.grain = 1}));
        EXPECT_EQ(parallel_find_if(numbers, at_once, {}, {.grain = 1}), numbers.begin());
    });
    EXPECT_EQ(looked, 2);
}

// Scans

TEST_P(parallel_results_on, scans_are_those_of_the_standard) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const std::vector<int> numbers = random_numbers(random, size);
        std::vector<std::int64_t> expected(size);
        std::vector<std::int64_t> found(size);
        std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin(), std::plus<>{}, 3L);
        auto end = parallel_inclusive_scan(numbers, found.begin(), std::plus<>{}, 3L, options);
        EXPECT_EQ(end, found.end());
        EXPECT_EQ(found, expected);
        std::exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), 3L);
        end = parallel_exclusive_scan(numbers, found.begin(), 3L, std::plus<>{}, options);
        EXPECT_EQ(end, found.end());
        EXPECT_EQ(found, expected);

        std::vector<int> same = numbers;
        std::vector<int> sums(size);
        std::inclusive_scan(numbers.begin(), numbers.end(), sums.begin());
        parallel_inclusive_scan(same, same.begin(), std::plus<>{}, options);
        EXPECT_EQ(same, sums);
    });
}

TEST_P(parallel_results_on, a_large_scan_keeps_the_order_of_its_operands) {
    with_large_size([](std::size_t size) {
        // Affine maps, whose composition is not commutative.
        struct map {
            std::uint32_t factor = 1;
            std::uint32_t summand = 0;
            bool operator==(const map&) const = default;
        };
        const auto compose = [](const map& first, const map& second) {
            return map{first.factor * second.factor,
                       first.summand * second.factor + second.summand};
        };
        std::vector<map> maps(size);
        for (std::size_t i = 0; i != size; ++i) {
            maps[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
        }
        std::vector<map> expected(size);
        std::vector<map> found(size);
        std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), compose);
        for (int round = 0; round != 3; ++round) {
            parallel_inclusive_scan(maps, found.begin(), compose);
            EXPECT_TRUE(found == expected);
        }
        std::exclusive_scan(maps.begin(), maps.end(), expected.begin(), map{3, 4}, compose);
        parallel_exclusive_scan(maps, maps.begin(), map{3, 4}, compose); // in place
        EXPECT_TRUE(maps == expected);
    });
}

TEST_P(parallel_results_on, strings_are_scanned) {
    with_each_grain([this](const parallel_options& options) {
        const auto words = made_from<std::string>(random_numbers(random, 50));
        std::vector<std::string> expected(words.size());
        std::vector<std::string> found(words.size());
        std::exclusive_scan(words.begin(), words.end(), expected.begin(), std::string{"<"});
        parallel_exclusive_scan(words, found.begin(), std::string{"<"}, std::plus<>{}, options);
        EXPECT_EQ(found, expected);
    });
}

TEST_P(parallel_results_on, chosen_elements_are_copied_in_order_and_asked_once) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const auto words = made_from<std::string>(random_numbers(random, size));
        std::atomic<std::size_t> asked{0};
        const auto is_even = [&](const std::string& each) {
            ++asked;
            return (each.back() - '0') % 2 == 0;
        };
        std::vector<std::string> expected;
        std::ranges::copy_if(words, std::back_inserter(expected), is_even);
        asked = 0;
        std::vector<std::string> found(size);
        const auto end = parallel_copy_if(words, found.begin(), is_even, {}, options);
        found.erase(end, found.end());
        EXPECT_EQ(found, expected);
        EXPECT_EQ(asked, size);
    });
    with_large_size([this](std::size_t size) {
        const std::vector<int> numbers = random_numbers(random, size);
        const auto is_even = [](int each) { return each % 2 == 0; };
        std::vector<int> expected;
        std::ranges::copy_if(numbers, std::back_inserter(expected), is_even);
        std::vector<int> found(size);
        found.erase(parallel_copy_if(numbers, found.begin(), is_even), found.end());
        EXPECT_TRUE(found == expected);
    });
}

// Sorts

template <class T>
class sorted_type : public testing::Test {};
using sorted_types = testing::Types<int, double, std::string, moved_number>;
TYPED_TEST_SUITE(sorted_type, sorted_types);

TYPED_TEST(sorted_type, is_sorted_as_by_the_standard) {
    std::mt19937 random{2}; // NOLINT(bugprone-random-generator-seed): the same numbers each time
    for (const std::size_t count : {1U, 2U, 3U, 8U}) {
        pool workers{count};
        for (const std::size_t size :
             {0U, 1U, 2U, 3U, 23U, 24U, 25U, 100U, 1009U, 4097U, 30'000U}) {
            for (const int most : {1, 10, 1'000'000}) {
                const std::vector<int> numbers = random_numbers(random, size, most);
                auto expected = numbers;
                std::ranges::sort(expected);
                auto first = made_from<TypeParam>(numbers);
                auto second = made_from<TypeParam>(numbers);
                auto compared = made_from<TypeParam>(expected);
                std::ranges::sort(compared); // strings are not in the order of their numbers
                workers.run([&] {
                    parallel_sort(first);
                    parallel_stable_sort(second);
                });
                EXPECT_TRUE(first == compared) << size << " of " << most;
                EXPECT_TRUE(second == compared) << size << " of " << most;
            }
        }
    }
}

TEST_P(parallel_results_on, shapes_that_are_hard_to_sort_are_sorted) {
    const int size = 20'000;
    const auto check = [&](auto shape) {
        std::vector<int> numbers(size);
        for (int i = 0; i != size; ++i) numbers[static_cast<std::size_t>(i)] = shape(i);
        auto expected = numbers;
        std::ranges::sort(expected);
        auto stable = numbers;
        workers.run([&] {
            parallel_sort(numbers);
            parallel_stable_sort(stable);
        });
        EXPECT_TRUE(numbers == expected);
        EXPECT_TRUE(stable == expected);
    };
    check([](int i) { return i; });
    check([](int i) { return -i; });
    check([](int) { return 1; });
    check([](int i) { return i % 2; });
    check([](int i) { return i < size / 2 ? i : size - i; });
    check([](int i) { return i % 100 == 0 ? -i : i; });
    check([](int i) { return i == size - 1 ? 0 : i; });
    check([](int i) { return i ^ 0x155; });
}

TEST_P(parallel_results_on, comparisons_and_projections_are_used) {
    with_each_grain([this](const parallel_options& options) {
        struct entry {
            int key;
            std::size_t place;
            bool operator==(const entry&) const = default;
        };
        std::vector<entry> entries;
        for (const int each : random_numbers(random, 5000, 20))
            entries.push_back({each, entries.size()});
        auto expected = entries;
        std::ranges::sort(expected, [](const entry& one, const entry& other) {
            return one.key != other.key ? one.key > other.key : one.place < other.place;
        });
        auto sorted = entries;
        parallel_sort(sorted, std::greater<>{}, &entry::key, options);
        EXPECT_TRUE(std::ranges::is_sorted(sorted, std::greater<>{}, &entry::key));
        parallel_stable_sort(entries.begin(), entries.end(), std::greater<>{}, &entry::key,
                             options);
        EXPECT_TRUE(entries == expected);
    });
}

TEST_P(parallel_results_on, large_ranges_are_sorted) {
    with_large_size([this](std::size_t size) {
        std::vector<int> numbers = random_numbers(random, size, 1 << 30);
        auto stable = numbers;
        auto expected = numbers;
        std::ranges::sort(expected);
        parallel_sort(numbers);
        EXPECT_TRUE(numbers == expected);
        parallel_stable_sort(stable);
        EXPECT_TRUE(stable == expected);
    });
}

TEST_P(parallel_results_on, a_comparison_that_throws_ends_the_sort) {
    for (const int limit : {1, 100, 5'000, 50'000}) {
        std::vector<std::string> words = made_from<std::string>(random_numbers(random, 10'000));
        auto second = words;
        std::atomic<int> calls{0};
        const auto fail = [&](const std::string& a, const std::string& b) {
            if (++calls >= limit) throw thrown_at{0};
            return a < b;
        };
        workers.run([&] { EXPECT_THROW(parallel_sort(words, fail), thrown_at); });
        EXPECT_EQ(words.size(), 10'000);
        calls = 0;
        workers.run([&] { EXPECT_THROW(parallel_stable_sort(second, fail), thrown_at); });
    }
}

TEST_P(parallel_results_on, a_sort_can_be_stopped) {
    std::vector<int> numbers = random_numbers(random, 100'000);
    std::stop_source source;
    std::atomic<int> calls{0};
    const auto compare = [&](int a, int b) {
        if (++calls == 1000) source.request_stop();
        return a < b;
    };
    workers.run([&] {
        const auto sort = [&] {
            parallel_sort(numbers, compare, {}, {.stop = source.get_token()});
        };
        EXPECT_EQ(error_of(sort), "cancelled");
    });
}

// Merges and partitions

TEST_P(parallel_results_on, merges_are_those_of_the_standard) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        for (const std::size_t other : {std::size_t{0}, std::size_t{1}, size / 2, size}) {
            using entry = std::pair<int, int>; // from which range it is
            std::vector<entry> first;
            std::vector<entry> second;
            for (const int each : random_numbers(random, size, 30)) first.emplace_back(each, 1);
            for (const int each : random_numbers(random, other, 30)) second.emplace_back(each, 2);
            const auto key = &entry::first;
            std::ranges::sort(first); // entries with the same key are equal
            std::ranges::sort(second);
            std::vector<entry> expected(size + other);
            std::vector<entry> found(size + other);
            std::ranges::merge(first, second, expected.begin(), {}, key, key);
            const auto end = parallel_merge(first, second, found.begin(), {}, key, key, options);
            EXPECT_EQ(end, found.end());
            EXPECT_EQ(found, expected);
        }
    });
}

TEST_P(parallel_results_on, partitions_are_divided_and_complete) {
    with_each_size([this](std::size_t size, const parallel_options& options) {
        const std::vector<int> numbers = random_numbers(random, size);
        for (const int border : {0, 100, 500, 1000}) {
            auto parts = made_from<moved_number>(numbers);
            std::atomic<std::size_t> asked{0};
            const auto is_below = [&](int each) {
                ++asked;
                return each < border;
            };
            const auto value = [](const moved_number& each) { return *each.value; };
            const auto middle = parallel_partition(parts, is_below, value, options);
            EXPECT_EQ(asked, size);
            EXPECT_TRUE(std::ranges::all_of(parts.begin(), middle, is_below, value));
            EXPECT_TRUE(std::ranges::none_of(middle, parts.end(), is_below, value));
            auto sorted = numbers;
            std::ranges::sort(sorted);
            std::ranges::sort(parts);
            EXPECT_TRUE(std::ranges::equal(parts, sorted, {}, value));
        }
    });
}

// From outside

TEST_P(parallel_results_on, calls_from_outside_give_the_same) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{200'000}}) {
        std::vector<int> numbers = random_numbers(random, size);
        const std::int64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
        for (const bool here : {true, false}) {
            const parallel_options options{.starts_here = here};
            EXPECT_EQ(parallel_reduce(workers, numbers, std::int64_t{0}, std::plus<>{}, options),
                      sum);
            std::vector<std::int64_t> sums(size);
            parallel_inclusive_scan(workers, numbers, sums.begin(), std::plus<>{}, std::int64_t{0},
                                    options);
            EXPECT_TRUE(sums.empty() || sums.back() == sum);
            const auto last = std::ranges::find(numbers, 999);
            EXPECT_EQ(parallel_find(workers, numbers, 999, {}, options), last);
            auto sorted = numbers;
            parallel_sort(workers, sorted, {}, {}, options);
            auto stable = numbers;
            parallel_stable_sort(workers, stable, {}, {}, options);
            auto expected = numbers;
            std::ranges::sort(expected);
            EXPECT_TRUE(sorted == expected && stable == expected);
            std::vector<int> merged(2 * size);
            parallel_merge(workers, sorted, stable, merged.begin(), {}, {}, {}, options);
            EXPECT_TRUE(std::ranges::is_sorted(merged));
        }
    }
}

TEST(parallel_results_outside, need_a_pool_and_name_the_call) {
    std::vector<int> numbers(10);
    const auto name_in = [](auto call) -> std::string {
        try {
            call();
        } catch (const error& refused) {
            return refused.what();
        }
        return "none";
    };
    const auto expect = [&](const char* name, auto call) {
        EXPECT_NE(name_in(call).find(name), std::string::npos) << name;
    };
    const auto is_one = [](int each) { return each == 1; };
    expect("weft::parallel_reduce", [&] { static_cast<void>(parallel_reduce(numbers)); });
    expect("weft::parallel_find", [&] { static_cast<void>(parallel_find(numbers, 1)); });
    expect("weft::parallel_all_of", [&] { static_cast<void>(parallel_all_of(numbers, is_one)); });
    expect("weft::parallel_inclusive_scan",
           [&] { parallel_inclusive_scan(numbers, numbers.begin()); });
    expect("weft::parallel_sort", [&] { parallel_sort(numbers); });
    expect("weft::parallel_stable_sort", [&] { parallel_stable_sort(numbers); });
    expect("weft::parallel_partition", [&] { parallel_partition(numbers, is_one); });
    expect("weft::parallel_merge", [&] { parallel_merge(numbers, numbers, numbers.begin()); });
}

// What is refused by the compiler

template <class Range, class T, class Combine>
concept reduces_with = requires(Range& range, T initial, Combine combine) {
    parallel_reduce(range, initial, combine);
};
struct joins_strings {
    std::string operator()(std::string, const std::string&) const;
};
static_assert(reduces_with<std::vector<std::string>, std::string, joins_strings>);
static_assert(!reduces_with<std::vector<int>, int, joins_strings>);
static_assert(!reduces_with<std::forward_list<int>, int, std::plus<>>);

template <class Range>
concept can_be_sorted = requires(Range& range) { parallel_sort(range); };
struct unordered {};
static_assert(can_be_sorted<std::vector<moved_number>>);
static_assert(!can_be_sorted<std::vector<unordered>>);
static_assert(!can_be_sorted<const std::vector<int>>);
template <class Output>
concept can_be_written = requires(std::vector<int>& range, Output output) {
    parallel_copy_if(range, output, [](int) { return true; });
};
static_assert(can_be_written<std::vector<long>::iterator>);
static_assert(!can_be_written<std::back_insert_iterator<std::vector<int>>>);

} // namespace
} // namespace weft
