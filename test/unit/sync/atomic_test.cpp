#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace weft::inline v0::sync {
namespace {

enum class colour : std::uint8_t { red, green, blue };

// What compiles. The orders are types, so that each row below is a question to the compiler.

template <class Order>
concept loads = requires(const atomic<int> object, Order order) { object.load(order); };
template <class Order>
concept stores = requires(atomic<int> object, Order order) { object.store(1, order); };
template <class Order>
concept exchanges = requires(atomic<int> object, Order order) { object.exchange(1, order); };
template <class Order>
concept adds = requires(atomic<int> object, Order order) { object.fetch_add(1, order); };
template <class Order>
concept subtracts = requires(atomic<int> object, Order order) { object.fetch_sub(1, order); };
template <class Order>
concept changes_bits = requires(atomic<int> object, Order order) {
    object.fetch_and(1, order);
    object.fetch_or(1, order);
    object.fetch_xor(1, order);
};
template <class Order>
concept updates = exchanges<Order> && adds<Order> && subtracts<Order> && changes_bits<Order>;
template <class Order>
concept updates_somehow =
    exchanges<Order> || adds<Order> || subtracts<Order> || changes_bits<Order>;
template <class Success, class Failure>
concept compares_strongly =
    requires(atomic<int> object, int expected, Success success, Failure failure) {
        object.compare_exchange_strong(expected, 1, success, failure);
    };
template <class Success, class Failure>
concept compares_weakly =
    requires(atomic<int> object, int expected, Success success, Failure failure) {
        object.compare_exchange_weak(expected, 1, success, failure);
    };
template <class Success, class Failure>
concept compares = compares_strongly<Success, Failure> && compares_weakly<Success, Failure>;
template <class Success, class Failure>
concept compares_somehow = compares_strongly<Success, Failure> || compares_weakly<Success, Failure>;
template <class Order>
concept fences = requires(Order order) { fence(order); };

using relaxed_order = decltype(relaxed);
using acquire_order = decltype(acquire);
using release_order = decltype(release);
using acq_rel_order = decltype(acq_rel);
using seq_cst_order = decltype(seq_cst);

static_assert(loads<relaxed_order> && loads<acquire_order>);
static_assert(!loads<release_order> && !loads<acq_rel_order> && !loads<seq_cst_order>);

static_assert(stores<relaxed_order> && stores<release_order>);
static_assert(!stores<acquire_order> && !stores<acq_rel_order> && !stores<seq_cst_order>);

static_assert(updates<relaxed_order> && updates<acquire_order>);
static_assert(updates<release_order> && updates<acq_rel_order>);
static_assert(!updates_somehow<seq_cst_order>);

static_assert(compares<relaxed_order, relaxed_order> && compares<acq_rel_order, acquire_order>);
static_assert(compares<release_order, relaxed_order> && compares<release_order, acquire_order>);
static_assert(!compares_somehow<acq_rel_order, release_order>);
static_assert(!compares_somehow<acq_rel_order, acq_rel_order>);
static_assert(!compares_somehow<acq_rel_order, seq_cst_order>);
static_assert(!compares_somehow<seq_cst_order, relaxed_order>);

static_assert(fences<acquire_order> && fences<release_order>);
static_assert(fences<acq_rel_order> && fences<seq_cst_order>);
static_assert(!fences<relaxed_order>);

// The orders of std are values, known too late.
static_assert(!loads<std::memory_order> && !stores<std::memory_order>);
static_assert(!updates_somehow<std::memory_order> && !fences<std::memory_order>);

template <class Atomic>
concept has_a_default_order =
    requires(Atomic object) { object.load(); } || requires(Atomic object) { object.store(1); } ||
    requires(Atomic object) { object.exchange(1); } ||
    requires(Atomic object) { object.fetch_add(1); } ||
    requires(Atomic object) { object.fetch_sub(1); } ||
    requires(Atomic object) { object.fetch_and(1); } ||
    requires(Atomic object) { object.fetch_or(1); } ||
    requires(Atomic object) { object.fetch_xor(1); };
template <class Atomic>
concept compares_with_fewer_than_two_orders =
    requires(Atomic object, int expected) { object.compare_exchange_strong(expected, 1); } ||
    requires(Atomic object, int expected) { object.compare_exchange_weak(expected, 1); } ||
    requires(Atomic object, int expected) {
        object.compare_exchange_strong(expected, 1, acquire);
    } ||
    requires(Atomic object, int expected) { object.compare_exchange_weak(expected, 1, acquire); };
template <class Atomic>
concept has_operators =
    requires(Atomic object) { object = 1; } || requires(Atomic object) { ++object; } ||
    requires(Atomic object) { object++; } || requires(Atomic object) { --object; } ||
    requires(Atomic object) { object--; } || requires(Atomic object) { object += 1; } ||
    requires(Atomic object) { object -= 1; } || requires(Atomic object) { object &= 1; } ||
    requires(Atomic object) { object |= 1; } || requires(Atomic object) { object ^= 1; };

static_assert(has_a_default_order<std::atomic<int>>, "so that the next line says something");
static_assert(!has_a_default_order<atomic<int>>);
static_assert(compares_with_fewer_than_two_orders<std::atomic<int>>);
static_assert(!compares_with_fewer_than_two_orders<atomic<int>>);
static_assert(has_operators<std::atomic<int>>);
static_assert(!has_operators<atomic<int>>);
static_assert(std::convertible_to<std::atomic<int>, int>);
static_assert(!std::convertible_to<atomic<int>, int>);

static_assert(!std::copyable<atomic<int>> && !std::movable<atomic<int>>);
static_assert(std::is_trivially_destructible_v<atomic<int>>);
static_assert(std::is_nothrow_default_constructible_v<atomic<int*>>);

template <class... T>
constexpr bool laid_out_as_in_std = ((sizeof(atomic<T>) == sizeof(std::atomic<T>) &&
                                      alignof(atomic<T>) == alignof(std::atomic<T>)) &&
                                     ...);
static_assert(
    laid_out_as_in_std<bool, std::int8_t, std::uint16_t, int, std::uint64_t, void*, colour>);

constinit atomic<std::uint32_t> atomic_before_main{42}; // that it compiles is half the test

TEST(atomic, is_there_before_anything_runs) { EXPECT_EQ(atomic_before_main.load(relaxed), 42U); }

TEST(atomic, is_zero_without_a_value) {
    EXPECT_EQ(atomic<int>{}.load(relaxed), 0);
    EXPECT_EQ(atomic<bool>{}.load(relaxed), false);
    EXPECT_EQ(atomic<int*>{}.load(relaxed), nullptr);
    EXPECT_EQ(atomic<colour>{}.load(relaxed), colour::red);
}

// Each operation, in every order it takes, against std::atomic.

void in_each_load_order(auto operation) {
    operation(relaxed);
    operation(acquire);
}
void in_each_store_order(auto operation) {
    operation(relaxed);
    operation(release);
}
void in_each_update_order(auto operation) {
    operation(relaxed);
    operation(acquire);
    operation(release);
    operation(acq_rel);
}

template <class T>
void expect_the_same(T start, auto operation, auto reference) {
    atomic<T> object{start};
    std::atomic<T> model{start};
    EXPECT_EQ(operation(object), reference(model));
    EXPECT_EQ(object.load(relaxed), model.load());
}

/// What every type has.
template <class T>
void expect_loads_stores_and_exchanges(T first, T second) {
    in_each_load_order([&](auto order) { EXPECT_EQ(atomic<T>{first}.load(order), first); });
    in_each_store_order([&](auto order) {
        atomic<T> object{first};
        object.store(second, order);
        EXPECT_EQ(object.load(relaxed), second);
    });
    in_each_update_order([&](auto order) {
        atomic<T> object{first};
        EXPECT_EQ(object.exchange(second, order), first);
        EXPECT_EQ(object.load(relaxed), second);
    });
}

template <class T>
void expect_strong_comparison(T first, T second, auto success, auto failure) {
    atomic<T> object{first};
    T expected = second;
    EXPECT_FALSE(object.compare_exchange_strong(expected, second, success, failure));
    EXPECT_EQ(expected, first);
    EXPECT_EQ(object.load(relaxed), first);
    EXPECT_TRUE(object.compare_exchange_strong(expected, second, success, failure));
    EXPECT_EQ(expected, first);
    EXPECT_EQ(object.load(relaxed), second);
}

/// A weak one may fail for no reason, so only what holds in any case is looked at.
template <class T>
void expect_weak_comparison(T first, T second, auto success, auto failure) {
    atomic<T> object{first};
    T expected = second;
    EXPECT_FALSE(object.compare_exchange_weak(expected, second, success, failure));
    EXPECT_EQ(expected, first);
    while (!object.compare_exchange_weak(expected, second, success, failure)) {
        EXPECT_EQ(expected, first);
        EXPECT_EQ(object.load(relaxed), first);
    }
    EXPECT_EQ(object.load(relaxed), second);
}

template <class T>
void expect_comparisons(T first, T second) {
    const auto expect_comparison = [&](auto success, auto failure) {
        expect_strong_comparison(first, second, success, failure);
        expect_weak_comparison(first, second, success, failure);
    };
    in_each_update_order([&](auto success) { expect_comparison(success, relaxed); });
    // Not relaxed and acquire: g++ 12 warns of a failure with a stronger order than success.
    expect_comparison(acquire, acquire);
    expect_comparison(release, acquire);
    expect_comparison(acq_rel, acquire);
}

template <class Integer>
struct atomic_integer : testing::Test {
    using limits = std::numeric_limits<Integer>;
    static constexpr std::array samples{limits::min(), Integer{0}, Integer{1}, Integer{0x55},
                                        limits::max()};

    static void for_each_pair(auto check) {
        for (const Integer first : samples) {
            for (const Integer second : samples) check(first, second);
        }
    }
};

struct integer_name {
    template <class Integer>
    static std::string GetName(int) {
        return (std::is_signed_v<Integer> ? "int" : "uint") + std::to_string(8 * sizeof(Integer));
    }
};

using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(atomic_integer, integers, integer_name);

TYPED_TEST(atomic_integer, loads_stores_and_exchanges) {
    this->for_each_pair([](TypeParam first, TypeParam second) {
        expect_loads_stores_and_exchanges(first, second);
    });
}

TYPED_TEST(atomic_integer, is_exchanged_only_for_what_was_expected) {
    this->for_each_pair([](TypeParam first, TypeParam second) {
        if (first != second) expect_comparisons(first, second);
    });
}

TYPED_TEST(atomic_integer, adds_and_subtracts_as_in_std_wrapping_around) {
    this->for_each_pair([](TypeParam start, TypeParam delta) {
        in_each_update_order([&](auto order) {
            expect_the_same(
                start, [&](auto& object) { return object.fetch_add(delta, order); },
                [&](auto& object) { return object.fetch_add(delta, order.value); });
            expect_the_same(
                start, [&](auto& object) { return object.fetch_sub(delta, order); },
                [&](auto& object) { return object.fetch_sub(delta, order.value); });
        });
    });
}

TYPED_TEST(atomic_integer, changes_bits_as_in_std) {
    this->for_each_pair([](TypeParam start, TypeParam mask) {
        in_each_update_order([&](auto order) {
            expect_the_same(
                start, [&](auto& object) { return object.fetch_and(mask, order); },
                [&](auto& object) { return object.fetch_and(mask, order.value); });
            expect_the_same(
                start, [&](auto& object) { return object.fetch_or(mask, order); },
                [&](auto& object) { return object.fetch_or(mask, order.value); });
            expect_the_same(
                start, [&](auto& object) { return object.fetch_xor(mask, order); },
                [&](auto& object) { return object.fetch_xor(mask, order.value); });
        });
    });
}

TEST(atomic, of_bool_does_what_std_does) {
    expect_loads_stores_and_exchanges(false, true);
    expect_comparisons(false, true);
}

TEST(atomic, of_an_enumeration_does_what_std_does) {
    expect_loads_stores_and_exchanges(colour::green, colour::blue);
    expect_comparisons(colour::green, colour::blue);
}

TEST(atomic, of_a_pointer_does_what_std_does) {
    std::array<std::uint64_t, 4> row{};
    expect_loads_stores_and_exchanges(row.data(), row.data() + 3);
    expect_comparisons(row.data(), row.data() + 3);
    in_each_update_order([&](auto order) {
        atomic<std::uint64_t*> place{row.data()};
        EXPECT_EQ(place.fetch_add(std::ptrdiff_t{3}, order), row.data());
        EXPECT_EQ(place.load(relaxed), row.data() + 3);
        EXPECT_EQ(place.fetch_sub(std::ptrdiff_t{2}, order), row.data() + 3);
        EXPECT_EQ(place.load(relaxed), row.data() + 1);
    });
}

TEST(atomic, a_label_changes_nothing) {
    atomic<int> object{7};
    object.label("seven");
    EXPECT_EQ(object.load(relaxed), 7);
}

TEST(atomic, no_update_is_lost_between_threads) {
    constexpr int rounds = 20'000;
    atomic<int> sum{0};
    atomic<std::uint8_t> toggled{0};
    atomic<int> compared{0};
    const auto work = [&] {
        for (int round = 0; round < rounds; ++round) {
            sum.fetch_add(3, relaxed);
            sum.fetch_sub(1, relaxed);
            toggled.fetch_xor(std::uint8_t{1}, relaxed);
            int seen = compared.load(relaxed);
            while (!compared.compare_exchange_weak(seen, seen + 1, relaxed, relaxed)) {
            }
        }
    };
    {
        const thread first{{}, work};
        const thread second{{}, work};
    }
    EXPECT_EQ(sum.load(relaxed), 2 * 2 * rounds);
    EXPECT_EQ(toggled.load(relaxed), 0);
    EXPECT_EQ(compared.load(relaxed), 2 * rounds);
}

TEST(atomic, a_release_store_shows_an_acquire_load_the_plain_data_before_it) {
    constexpr int rounds = 1'000;
    for (int round = 1; round <= rounds; ++round) {
        int data = 0;
        atomic<bool> ready{false};
        const thread writer{{}, [&] {
                                data = round;
                                ready.store(true, release);
                            }};
        while (!ready.load(acquire)) yield();
        ASSERT_EQ(data, round);
    }
}

} // namespace
} // namespace weft::inline v0::sync
