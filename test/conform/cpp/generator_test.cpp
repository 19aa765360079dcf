// Generators: elements one by one, on the thread of the loop.
#include <weft/generator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::generator_test {
namespace {

static_assert(std::input_iterator<generator<int>::iterator>);
static_assert(std::ranges::input_range<generator<int>>);
static_assert(std::ranges::view<generator<std::string&>>);
static_assert(std::is_same_v<std::ranges::range_reference_t<generator<int>>, int&&>);
static_assert(std::is_same_v<std::ranges::range_reference_t<generator<int&>>, int&>);
static_assert(!std::is_copy_constructible_v<generator<int>>);

generator<int> count_to(int last) {
    for (int i = 1; i <= last; ++i) co_yield i;
}
template <class T>
auto gather(generator<T> all) {
    std::vector<std::remove_cvref_t<T>> found;
    for (auto&& each : all) found.push_back(std::forward<decltype(each)>(each));
    return found;
}

TEST(generator, yields_its_elements_in_order) {
    EXPECT_EQ(gather(count_to(3)), (std::vector{1, 2, 3}));
    EXPECT_EQ(gather(count_to(0)), std::vector<int>{});
    EXPECT_EQ(gather(generator<int>{}), std::vector<int>{});
}

struct alive_count {
    int* count;
    explicit alive_count(int& to) : count{&to} { ++*count; }
    alive_count(const alive_count& other) : count{other.count} { ++*count; }
    alive_count& operator=(const alive_count&) = delete;
    ~alive_count() { --*count; }
};
generator<int> count_for_ever(alive_count /*kept*/) {
    for (int i = 0;; ++i) co_yield i;
}

TEST(generator, runs_no_further_than_its_loop) {
    int alive = 0;
    {
        int last = 0;
        for (const int each : count_for_ever(alive_count{alive})) {
            last = each;
            if (each == 10) break;
        }
        EXPECT_EQ(last, 10);
        EXPECT_EQ(alive, 0);
        const auto never_begun = count_for_ever(alive_count{alive});
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

generator<std::string> words() {
    std::string kept = "a string that is too long to be kept in place";
    co_yield kept; // a copy: the loop may move from it
    EXPECT_EQ(kept.size(), 45U);
    co_yield "literal";
    co_yield kept + "!";
    co_yield std::move(kept);
}
generator<const std::string&> borrowed(const std::vector<std::string>& all) {
    for (const std::string& each : all) co_yield each;
}
generator<int&> all_of(std::vector<int>& numbers) {
    for (int& each : numbers) co_yield each;
}
generator<std::unique_ptr<int>> owners() {
    co_yield std::make_unique<int>(1);
    auto second = std::make_unique<int>(2);
    co_yield std::move(second);
}

TEST(generator, yields_values_copies_references_and_what_only_moves) {
    const auto found = gather(words());
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[1], "literal");
    EXPECT_EQ(found[2], found[0] + "!");
    EXPECT_EQ(found[3], found[0]);
    EXPECT_EQ(gather(borrowed(found)), found);
    std::vector numbers{1, 2, 3};
    for (int& each : all_of(numbers)) each *= 10;
    EXPECT_EQ(numbers, (std::vector{10, 20, 30}));
    int sum = 0;
    for (std::unique_ptr<int>&& each : owners()) sum += *each;
    EXPECT_EQ(sum, 3);
}

generator<int> fail_after(int count) {
    for (int i = 0; i < count; ++i) co_yield i;
    throw std::runtime_error{"failed"};
}

TEST(generator, throws_into_its_loop) {
    EXPECT_THROW(static_cast<void>(fail_after(0).begin()), std::runtime_error);
    auto failing = fail_after(1);
    auto position = failing.begin();
    EXPECT_THROW(++position, std::runtime_error);
    EXPECT_TRUE(position == failing.end());
}

generator<int> nested_from(int depth) {
    co_yield depth;
    if (depth > 0) co_yield elements_of(nested_from(depth - 1));
    co_yield depth;
}
generator<int> catching(int& caught) {
    try {
        co_yield elements_of(fail_after(2));
    } catch (const std::runtime_error&) {
        ++caught;
    }
    co_yield elements_of(generator<int>{});
    co_yield 100;
}

TEST(generator, yields_the_elements_of_another) {
    EXPECT_EQ(gather(nested_from(2)), (std::vector{2, 1, 0, 0, 1, 2}));
    int caught = 0;
    EXPECT_EQ(gather(catching(caught)), (std::vector{0, 1, 100}));
    EXPECT_EQ(caught, 1);
    const auto fails = [](int depth, auto& self) -> generator<int> {
        if (depth == 0) throw std::runtime_error{"bottom"};
        co_yield elements_of(self(depth - 1, self));
    };
    auto failing = fails(1'000, fails);
    EXPECT_THROW(static_cast<void>(failing.begin()), std::runtime_error);
}

generator<int> wrap(generator<int> inner) { co_yield elements_of(std::move(inner)); }

TEST(generator, needs_no_stack_for_its_depth) {
    constexpr int depth = 200'000;
    long long sum = 0;
    for (const int each : nested_from(depth)) sum += each;
    EXPECT_EQ(sum, static_cast<long long>(depth) * (depth + 1));
    { // left in the middle
        int count = 0;
        for ([[maybe_unused]] const int each : nested_from(depth)) {
            if (++count == depth) break;
        }
    }
    generator<int> wrapped = count_to(1);
    for (int i = 0; i < depth; ++i) wrapped = wrap(std::move(wrapped));
    EXPECT_EQ(gather(std::move(wrapped)), std::vector{1});
    generator<int> dropped = count_to(1);
    for (int i = 0; i < depth; ++i) dropped = wrap(std::move(dropped));
}

TEST(generator, can_be_moved) {
    generator<int> first = count_to(2);
    generator<int> second = std::move(first);
    first = std::move(second);
    EXPECT_EQ(gather(std::move(first)), (std::vector{1, 2}));
}

} // namespace
} // namespace weft::generator_test
