// The parallel algorithms on ranges whose iterators are not pointers.
#include "conform/cpp/algorithm_cases.hpp"

#include <weft/algorithm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

class algorithm_iterators_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, algorithm_iterators_on, testing::Values(1, 2, 3));

/// An element of two arrays that are sorted as one.
struct paired {
    std::string key;
    int place = 0;
};
/// Stands for an element: it is made when an iterator is dereferenced, so that no `paired&` exists.
struct paired_reference {
    std::string* key;
    int* place;
    // NOLINTBEGIN
    operator paired() const { return {*key, *place}; }
    paired_reference(std::string* one, int* other) : key{one}, place{other} {}
    paired_reference(const paired_reference&) = default;
    const paired_reference& operator=(const paired& from) const {
        *key = from.key;
        *place = from.place;
        return *this;
    }
    const paired_reference& operator=(const paired_reference& from) const {
        return *this = static_cast<paired>(from);
    }
    // NOLINTEND
};
class paired_iterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag; // as that of every such iterator
    using value_type = paired;
    using difference_type = std::ptrdiff_t;
    using reference = paired_reference;
    using pointer = void;

    paired_iterator() = default;
    paired_iterator(std::string* key, int* place) : key_{key}, place_{place} {}
    paired_reference operator*() const { return {key_, place_}; }
    paired_reference operator[](std::ptrdiff_t n) const { return *(*this + n); }
    paired_iterator& operator+=(std::ptrdiff_t n) {
        key_ += n;
        place_ += n;
        return *this;
    }
    paired_iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    paired_iterator& operator++() { return *this += 1; }
    paired_iterator& operator--() { return *this += -1; }
    paired_iterator operator++(int) { return std::exchange(*this, *this + 1); }
    paired_iterator operator--(int) { return std::exchange(*this, *this + -1); }
    friend paired_iterator operator+(paired_iterator a, std::ptrdiff_t n) { return a += n; }
    [[maybe_unused]] friend paired_iterator operator+(std::ptrdiff_t n, paired_iterator a) {
        return a += n;
    }
    friend paired_iterator operator-(paired_iterator a, std::ptrdiff_t n) { return a -= n; }
    friend std::ptrdiff_t operator-(const paired_iterator& a, const paired_iterator& b) {
        return a.key_ - b.key_;
    }
    friend bool operator==(const paired_iterator& a, const paired_iterator& b) {
        return a.key_ == b.key_;
    }
    friend auto operator<=>(const paired_iterator& a, const paired_iterator& b) {
        return a.key_ <=> b.key_;
    }

private:
    std::string* key_ = nullptr;
    int* place_ = nullptr;
};
constexpr auto by_key = [](const paired& a, const paired& b) { return a.key < b.key; };
static_assert(std::random_access_iterator<paired_iterator>);
static_assert(std::sortable<paired_iterator, decltype(by_key)>);

struct paired_range {
    paired_iterator first;
    paired_iterator last;
    [[nodiscard]] paired_iterator begin() const { return first; }
    [[nodiscard]] paired_iterator end() const { return last; }
};

struct two_arrays {
    explicit two_arrays(const std::vector<int>& numbers) : keys{made_from<std::string>(numbers)} {
        places.resize(keys.size());
        std::iota(places.begin(), places.end(), 0);
    }
    [[nodiscard]] paired_range all() {
        const paired_iterator begin{keys.data(), places.data()};
        return {begin, begin + static_cast<std::ptrdiff_t>(keys.size())};
    }
    std::vector<std::string> keys;
    std::vector<int> places;
};

TEST_P(algorithm_iterators_on, elements_behind_proxies_are_sorted_and_moved) {
    for (const std::size_t size : {0U, 1U, 2U, 30U, 100U, 3'000U}) {
        const std::vector<int> numbers = random_numbers(random, size, 50);
        const std::vector<std::string> keys = made_from<std::string>(numbers);
        auto expected = keys;
        std::ranges::sort(expected);
        const auto belongs = [&](const two_arrays& some) {
            for (std::size_t i = 0; i != size; ++i) {
                if (some.keys[i] != keys[static_cast<std::size_t>(some.places[i])]) return false;
            }
            return true;
        };
        two_arrays some{numbers};
        workers.run([&] { parallel_sort(some.all(), by_key); });
        EXPECT_EQ(some.keys, expected);
        EXPECT_TRUE(belongs(some));

        two_arrays stable{numbers};
        workers.run([&] { parallel_stable_sort(stable.all(), by_key); });
        EXPECT_EQ(stable.keys, expected);
        EXPECT_TRUE(belongs(stable));
        for (std::size_t i = 1; i < size; ++i) {
            EXPECT_TRUE(stable.keys[i - 1] != stable.keys[i] ||
                        stable.places[i - 1] < stable.places[i]);
        }

        two_arrays in_place{numbers}; // as without memory
        detail::stable_sort_in_place(in_place.all().begin(), in_place.all().end(), by_key);
        EXPECT_EQ(in_place.keys, expected);
        EXPECT_EQ(in_place.places, stable.places);
        EXPECT_TRUE(belongs(in_place));

        two_arrays parted{numbers};
        const auto is_even = [](const paired& each) { return each.place % 2 == 0; };
        const paired_range whole = parted.all();
        const auto border = workers.run([&] { return parallel_partition(whole, is_even); });
        EXPECT_EQ(border - parted.all().begin(), static_cast<std::ptrdiff_t>((size + 1) / 2));
        EXPECT_TRUE(belongs(parted));

        two_arrays merged{std::vector<int>(2 * size)};
        workers.run(
            [&] { parallel_merge(some.all(), stable.all(), merged.all().begin(), by_key); });
        EXPECT_TRUE(std::ranges::is_sorted(merged.keys));
        two_arrays copied{std::vector<int>(size)};
        workers.run([&] { parallel_copy_if(some.all(), copied.all().begin(), is_even); });
        EXPECT_EQ(parallel_count_if(workers, some.all(), is_even), (size + 1) / 2);
    }
}

TEST_P(algorithm_iterators_on, bits_are_read) {
    std::vector<bool> bits(1'009);
    for (std::size_t i = 0; i != bits.size(); ++i) bits[i] = i % 3 == 0;
    workers.run([&] {
        std::atomic<int> sum{0};
        parallel_for(bits, [&](bool each) { sum += each ? 1 : 0; });
        EXPECT_EQ(sum, 337);
        EXPECT_EQ(parallel_count_if(bits, std::identity{}), 337U);
        EXPECT_EQ(parallel_reduce(bits, 0), 337);
        EXPECT_EQ(parallel_find(std::as_const(bits), false) - bits.cbegin(), 1);
        std::vector<int> sums(bits.size());
        parallel_inclusive_scan(bits, sums.begin(), std::plus<>{}, 0);
        EXPECT_EQ(sums.back(), 337);
    });
}

// Clang 14 does not compile the views of libstdc++ 12.
#if !defined(__clang__) || __clang_major__ >= 16

/// The differences of such an iterator are of more than 64 bits.
TEST_P(algorithm_iterators_on, ranges_of_numbers_and_views_are_accepted) {
    workers.run([] {
        const auto numbers = std::views::iota(std::uint64_t{0}, std::uint64_t{5'000});
        const auto squares =
            numbers | std::views::transform([](std::uint64_t each) { return each * each; });
        std::atomic<std::uint64_t> sum{0};
        parallel_for(numbers, [&](std::uint64_t each) { sum += each; });
        EXPECT_EQ(sum, 12'497'500U);
        sum = 0;
        parallel_for_each(squares, [&](std::uint64_t each) { sum += each; });
        EXPECT_EQ(sum, parallel_reduce(squares, std::uint64_t{0}));
        EXPECT_EQ(*parallel_find(numbers, std::uint64_t{77}), 77U);
        EXPECT_EQ(*parallel_find_if(squares, [](auto each) { return each > 100; }), 121U);
        EXPECT_TRUE(parallel_all_of(numbers, [](auto each) { return each < 5'000; }));
        const auto ends = parallel_min_max(squares);
        EXPECT_EQ(*ends.max, 4'999U * 4'999U);
        std::vector<std::uint64_t> copy(5'000);
        const auto end = parallel_transform(numbers | std::views::reverse, copy.begin(),
                                            [](auto each) { return each + 1; });
        EXPECT_EQ(end, copy.end());
        EXPECT_EQ(copy.front(), 5'000U);
        parallel_sort(copy | std::views::reverse | std::views::drop(1), std::greater<>{});
        EXPECT_EQ(copy.front(), 2U);
        EXPECT_EQ(copy[4'998], 5'000U);
        EXPECT_EQ(copy.back(), 1U);
        parallel_exclusive_scan(numbers, copy.begin(), std::uint64_t{1});
        EXPECT_EQ(copy.back(), 1U + 4'998U * 4'999U / 2);
        EXPECT_EQ(parallel_count_if(numbers, [](auto each) { return each % 5 == 0; }), 1'000U);
        // Without random access, and only for those that are not const.
        auto odd = std::views::iota(0, 100) | std::views::filter([](int each) { return each % 2; });
        std::list<int> list{1, 2, 3};
        sum = 0;
        parallel_for_each(odd, [&](int) { ++sum; });
        parallel_for_each(list | std::views::reverse, [&](int) { ++sum; });
        EXPECT_EQ(sum, 53U);
    });
}

/// A transform may return a reference to what it was given, and that may be a temporary.
TEST_P(algorithm_iterators_on, references_to_temporary_elements_stay_valid) {
    workers.run([] {
        const auto texts = std::views::iota(0, 3'000) | std::views::transform([](int each) {
                               return std::string(20 + static_cast<std::size_t>(each) % 7, 'x');
                           });
        const auto same = [](const std::string& each) -> const std::string& { return each; };
        const auto add = [](std::size_t sum, const std::string& each) { return sum + each.size(); };
        struct length {
            std::size_t sum = 0;
            explicit length(std::size_t all) : sum{all} {}
            explicit length(const std::string& text) : sum{text.size()} {}
        };
        const auto join = [add](length sum, const auto& each) {
            if constexpr (std::same_as<std::remove_cvref_t<decltype(each)>, length>) {
                return length{sum.sum + each.sum};
            } else {
                return length{add(sum.sum, each)};
            }
        };
        for (const bool fixed : {false, true}) {
            const parallel_options options{.reproducible = fixed};
            std::size_t expected = 0;
            for (const std::string& each : texts) expected += each.size();
            EXPECT_EQ(parallel_transform_reduce(texts, length{0}, join, same, options).sum,
                      expected);
            EXPECT_EQ(parallel_reduce(texts, length{0}, join, options).sum, expected);
            EXPECT_EQ(
                parallel_transform_reduce(0, 3'000, 0, std::plus<>{}, std::identity{}, options),
                4'498'500);
        }
    });
}

#endif

TEST_P(algorithm_iterators_on, ends_of_other_types_are_accepted) {
    workers.run([] {
        std::vector<int> numbers(100, 1);
        const std::counted_iterator begin{numbers.begin(), 40};
        EXPECT_EQ(parallel_reduce(begin, std::default_sentinel, 0), 40);
        parallel_for(begin, std::default_sentinel, [](int& each) { ++each; });
        EXPECT_EQ(parallel_reduce(numbers, 0), 140);
        parallel_sort(begin, std::default_sentinel, std::greater<>{});
        EXPECT_EQ(parallel_find(begin, std::default_sentinel, 7).count(), 0);
        // Neither has random access, or the end is not known: they are walked through first.
        const std::forward_list<int> list(100, 3);
        std::atomic<int> sum{0};
        parallel_for_each(list.begin(), list.end(), [&](int each) { sum += each; });
        EXPECT_EQ(sum, 300);
        struct end_of_text {
            bool operator==(const char* place) const { return *place == '\0'; }
        };
        parallel_for_each("abc", end_of_text{}, [&](char each) { sum += each - 'a'; });
        EXPECT_EQ(sum, 303);
        std::list<int> more{1, 2, 3};
        parallel_for_each(more, [&](int each) { sum += each; }, std::negate<>{});
        EXPECT_EQ(sum, 297);
    });
}

TEST_P(algorithm_iterators_on, containers_of_other_kinds_are_accepted) {
    workers.run([this] {
        const std::vector<int> numbers = random_numbers(random, 2'000);
        auto expected = numbers;
        std::ranges::sort(expected);
        std::deque<int> deque(numbers.begin(), numbers.end());
        parallel_sort(deque);
        EXPECT_TRUE(std::ranges::equal(deque, expected));
        deque.assign(numbers.begin(), numbers.end());
        parallel_stable_sort(deque);
        EXPECT_TRUE(std::ranges::equal(deque, expected));
        int array[] = {3, 1, 2};
        parallel_sort(array);
        EXPECT_EQ(array[0] + 10 * array[1] + 100 * array[2], 321);
        std::array<int, 0> none{};
        parallel_sort(none);
        EXPECT_EQ(parallel_reduce(none, 5), 5);
        const auto found = parallel_find(std::span{array}, 2);
        EXPECT_EQ(*found, 2);
    });
}

/// What would refer into a range that is gone cannot be used.
template <class Range>
using found_in = decltype(parallel_find(std::declval<Range>(), 1));
static_assert(std::same_as<found_in<std::vector<int>>, std::ranges::dangling>);
static_assert(std::same_as<found_in<std::vector<int>&>, std::vector<int>::iterator>);
static_assert(std::same_as<found_in<const std::vector<int>&>, std::vector<int>::const_iterator>);
static_assert(std::same_as<found_in<std::span<int>>, std::span<int>::iterator>);
using extremes_of_temporary = decltype(parallel_min_max(std::declval<std::vector<int>>()));
static_assert(
    !std::same_as<extremes_of_temporary, std::ranges::min_max_result<std::vector<int>::iterator>>);

} // namespace
} // namespace weft
