// What tasks can name, and what they get.
#include "conform/cpp/rendezvous.hpp"

#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(resource_access, a_task_gets_what_it_names_in_that_order) {
    pool workers{2};
    resource<int> a{1};
    resource<std::string, exclusive> b{"two"};
    resource<std::vector<int>> c{std::size_t{3}, 3}; // three threes
    auto made =
        when(a, write(b), read(c)).submit(workers, [](int& x, std::string& y, const auto& z) {
            static_assert(std::is_same_v<decltype(z), const std::vector<int>&>);
            x += 10;
            y += "!";
            return std::to_string(x) + y + std::to_string(z.size());
        });
    EXPECT_EQ(made.get(), "11two!3");
}

TEST(resource_access, results_and_continuations) {
    pool workers{2};
    resource<int> a{20};
    auto after = when(a).submit(workers, [](int& x) { return ++x; }).then([](future<int> before) {
        return before.get() * 2;
    });
    EXPECT_EQ(after.get(), 42);
    int& same = when(a).submit(workers, [](int& x) -> int& { return x; }).get();
    EXPECT_EQ(same, 21);
}

/// The future is ready after the resource was last touched, so it may end then.
TEST(resource_access, may_end_when_the_last_future_is_ready) {
    pool workers{2};
    for (int round = 0; round < (sanitized ? 500 : 20'000); ++round) {
        auto a = std::make_unique<resource<int>>(round);
        auto b = std::make_unique<resource<int, exclusive>>(round);
        auto one = when(*a, *b).submit(workers, [](int& x, int& y) { return x + y; });
        auto other = when(read(*a)).submit(workers, [](const int& x) { return x; });
        EXPECT_EQ(one.get() + other.get(), 3 * round);
    }
}

TEST(resource_access, may_be_kept_by_what_follows) {
    pool workers{2};
    for (int i = 0; i < 100; ++i) {
        auto kept = std::make_shared<resource<int>>(i);
        auto done = when(*kept).submit(workers, [](int& x) { return x; });
        auto last = std::move(done).then([kept](future<int> before) { return before.get(); });
        kept = nullptr;
        EXPECT_EQ(last.get(), i);
    }
}

/// So the captures of two tasks on one resource never exist at the same time.
TEST(resource_access, is_passed_on_when_what_the_task_has_captured_has_ended) {
    struct counted {
        std::atomic<int>* all;
        explicit counted(std::atomic<int>& live) : all{&live} {}
        counted(counted&& other) noexcept : all{std::exchange(other.all, nullptr)} {}
        counted& operator=(counted&&) = delete;
        ~counted() {
            if (all != nullptr) --*all;
        }
    };
    pool workers{2};
    resource<int> a{0};
    std::atomic<int> live = 0;
    std::vector<future<int>> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(
            when(a).submit(workers, [&live, captured = std::optional<counted>{}](int&) mutable {
                captured.emplace(live);
                return ++live;
            }));
    }
    for (auto& each : all) EXPECT_EQ(each.get(), 1);
}

TEST(resource_access, does_not_move_and_is_small) {
    using shared = resource<std::int64_t>;
    using alone = resource<std::int64_t, exclusive>;
    static_assert(!std::is_move_constructible_v<shared> && !std::is_copy_constructible_v<shared>);
    static_assert(!std::is_move_assignable_v<alone> && !std::is_copy_assignable_v<alone>);
    static_assert(sizeof(alone) == sizeof(std::int64_t) + 8);
    static_assert(sizeof(shared) == sizeof(std::int64_t) + 24);
    static_assert(sizeof(limit) == 24);
}

TEST(resource_access, named_twice_counts_once_with_the_most_that_is_wanted) {
    pool workers{3};
    resource<int> a{0};
    limit net{2};
    auto twice =
        when(read(a), a, read(a), a).submit(workers, [](const int& x, int& y, const int&, int&) {
            ++y;
            return x;
        });
    EXPECT_EQ(twice.get(), 1);
    EXPECT_TRUE(when(net, take(net, 2), net).submit(workers, [] { return true; }).get());
    // It writes: nobody reads meanwhile.
    event begun;
    event go;
    std::atomic<bool> read_meanwhile{false};
    auto writer = when(read(a), write(a)).submit(workers, [&](const int&, int&) {
        begun.happen();
        blocking([&] { go.await(); });
        return read_meanwhile.load();
    });
    begun.await();
    auto reader = when(read(a)).submit(workers, [&](const int&) { read_meanwhile = true; });
    EXPECT_FALSE(reader.ready());
    go.happen();
    EXPECT_FALSE(writer.get());
    reader.get();
}

TEST(resource_access, without_any_it_is_just_a_task) {
    pool workers{1};
    EXPECT_EQ(when().submit(workers, [] { return 5; }).get(), 5);
}

// Limits

TEST(resource_limit, admits_no_more_than_its_capacity) {
    constexpr std::uint32_t capacity = 3;
    pool workers{8};
    limit net{capacity};
    EXPECT_EQ(net.capacity(), capacity);
    std::atomic<std::uint32_t> weight{0};
    std::atomic<std::uint32_t> most{0};
    std::vector<future<void>> all;
    for (std::uint32_t i = 0; i < 3'000; ++i) {
        const std::uint32_t units = 1 + i % capacity;
        all.push_back(when(take(net, units)).submit(workers, [&, units] {
            const std::uint32_t now = weight += units;
            std::uint32_t before = most;
            while (before < now && !most.compare_exchange_weak(before, now)) {
            }
            std::this_thread::yield();
            weight -= units;
        }));
    }
    for (auto& each : all) each.get();
    EXPECT_LE(most, capacity);
    EXPECT_EQ(weight, 0U);
}

TEST(resource_limit, as_many_as_it_allows_do_run_together) {
    pool workers{3};
    limit net{3};
    meeting all{3};
    std::vector<future<bool>> met;
    for (int i = 0; i < 3; ++i) {
        met.push_back(when(net).submit(workers, [&] { return all.attend(); }));
    }
    for (auto& each : met) EXPECT_TRUE(each.get());
}

TEST(resource_limit, a_task_that_is_too_heavy_is_refused) {
    pool workers{1};
    limit net{4};
    resource<int> a{0};
    EXPECT_EQ(error_of([&] { when(a, take(net, 5)).submit(workers, [](int&) {}); }), "overweight");
    EXPECT_EQ(error_of([&] { when(take(net, 0)).submit(workers, [] {}); }), "invalid_argument");
    EXPECT_EQ(error_of([] { const limit none{0}; }), "invalid_argument");
    EXPECT_EQ(error_of([] { const limit too_much{(1U << 30U) + 1}; }), "invalid_argument");
    EXPECT_EQ(when(a, take(net, 4)).submit(workers, [](int& x) { return x; }).get(), 0);
}

// Keys

TEST(resource_keys, tasks_with_the_same_key_run_one_after_the_other) {
    pool workers{4};
    key_space names{64};
    EXPECT_EQ(names.words(), 64U);
    std::vector<int> counts(100); // each is touched under its key only
    for (int i = 0; i < 20'000; ++i) {
        const int one = i % 100;
        const int other = (i * 7 + 3) % 100;
        when(names(one), names(std::to_string(other)), names(other))
            .submit(workers, [&counts, one, other] {
                ++counts[static_cast<std::size_t>(one)];
                ++counts[static_cast<std::size_t>(other)];
            });
    }
    workers.stop();
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 40'000);
}

TEST(resource_keys, are_read_together) {
    pool workers{2};
    key_space names{8};
    meeting both{2};
    auto one = when(read(names("x"))).submit(workers, [&] { return both.attend(); });
    auto other = when(read(names("x"))).submit(workers, [&] { return both.attend(); });
    EXPECT_TRUE(one.get() && other.get());
    exclusive_key_space few{1};
    EXPECT_TRUE(when(few(1), few(2), few(3)).submit(workers, [] { return true; }).get());
    EXPECT_EQ(error_of([] { const key_space none{0}; }), "invalid_argument");
}

// Sets that are known late

TEST(resource_set, is_called_with_all_data_in_the_order_of_the_range) {
    pool workers{2};
    std::deque<resource<int>> all;
    for (int i = 0; i < 100; ++i) all.emplace_back(i);
    std::vector<resource<int>*> some;
    for (int i = 99; i >= 0; i -= 2) some.push_back(&all[static_cast<std::size_t>(i)]);
    some.push_back(some.front()); // twice
    auto changed = when(some).submit(workers, [](std::span<int* const> data) {
        for (int* each : data.first(50)) *each = -*each;
        return *data[0] == -99 && data[50] == data[0] && data.size() == 51;
    });
    EXPECT_TRUE(changed.get());
    std::vector<decltype(read(all[0]))> reading;
    for (auto& each : all) reading.push_back(read(each));
    auto sum = when(reading).submit(workers, [](std::span<const int* const> data) {
        int total = 0;
        for (const int* each : data) total += *each;
        return total;
    });
    EXPECT_EQ(sum.get(), 2450 - 2500);
    std::vector<std::unique_ptr<resource<int>>> owned;
    owned.push_back(std::make_unique<resource<int>>(7));
    EXPECT_EQ(when(owned).submit(workers, [](auto data) { return *data[0]; }).get(), 7);
    std::vector<std::reference_wrapper<limit>> none;
    EXPECT_EQ(when(none).submit(workers, [] { return 1; }).get(), 1);
}

TEST(resource_set, may_be_empty) {
    pool workers{1};
    const std::vector<resource<int>*> nothing_named;
    const auto size_of = [](std::span<int* const> data) { return data.size(); };
    EXPECT_EQ(when(nothing_named).submit(workers, size_of).get(), 0U);
    EXPECT_EQ(when().submit(workers, [] { return 1; }).get(), 1);
}

/// An array is a range: it does not decay to its first resource.
TEST(resource_set, may_be_an_array) {
    pool workers{1};
    resource<int> some[2] = {resource<int>{1}, resource<int>{2}};
    const auto sum_of = [](std::span<int* const> data) { return *data[0] + *data[1]; };
    EXPECT_EQ(when(some).submit(workers, sum_of).get(), 3);
}

/// A resource is one, also if its data is a range; so is a pointer to one.
TEST(resource_set, is_no_resource) {
    pool workers{1};
    resource<std::vector<int>> numbers{std::vector<int>{1, 2, 3}};
    const auto size_of = [](const std::vector<int>& data) { return data.size(); };
    EXPECT_EQ(when(numbers).submit(workers, size_of).get(), 3U);
    EXPECT_EQ(when(&numbers).submit(workers, size_of).get(), 3U);
    limit one{1};
    EXPECT_EQ(when(std::vector<limit*>{&one}).submit(workers, [] { return 1; }).get(), 1);
    static_assert(!detail::nameable<std::vector<int>&>);
    static_assert(!detail::range_of_nameable<std::vector<int>&>);
    static_assert(!detail::range_of_nameable<std::string&>);
}

/// The task that finds what to change, and the task that changes it.
TEST(resource_set, find_then_modify_are_two_tasks) {
    pool workers{2};
    std::deque<resource<int>> accounts;
    for (int i = 0; i < 10; ++i) accounts.emplace_back(i);
    resource<std::vector<std::size_t>> index{std::vector<std::size_t>{2, 5}};
    std::atomic<int> sum{0};
    for (int round = 0; round < 100; ++round) {
        when(read(index)).submit(workers, [&](const std::vector<std::size_t>& indices) {
            std::vector<resource<int>*> found;
            for (const std::size_t each : indices) found.push_back(&accounts[each]);
            when(found).submit([&](std::span<int* const> data) {
                for (int* each : data) sum += (*each)++;
            });
        });
    }
    workers.stop();
    EXPECT_EQ(sum, 100 * (2 + 5) + 2 * (99 * 100 / 2));
}

/// Local to a thread, and there before its first submission: so it ends late.
struct submits_at_its_end {
    pool* workers = nullptr;
    resource<int>* wanted = nullptr;
    ~submits_at_its_end() {
        when(*wanted).submit(*workers, [](int& x) { ++x; });
    }
};

TEST(resource_access, may_be_wanted_by_a_thread_until_its_very_end) {
    resource<int> a{0};
    pool workers{1};
    for (int i = 0; i < 10; ++i) {
        std::thread{[&] {
            static thread_local submits_at_its_end last;
            last.workers = &workers;
            last.wanted = &a;
            when(a).submit(workers, [](int& x) { ++x; });
        }}.join();
    }
    EXPECT_EQ(when(a).submit(workers, [](int& x) { return x; }).get(), 20);
}

TEST(resource_access, serves_several_pools) {
    pool one{1};
    pool other{2};
    resource<int> a{0};
    for (int i = 0; i < 1'000; ++i) {
        when(a).submit(one, [](int& x) { ++x; });
        when(a).submit(other, [](int& x) { ++x; });
    }
    EXPECT_EQ(when(a).submit(one, [](int& x) { return x; }).get(), 2'000);
    one.stop();
    other.stop();
}

/// Ten million of them in one program, each used.
TEST(resource_access, there_may_be_ten_million) {
    const std::size_t count = sanitized ? 100'000 : 10'000'000;
    using account = resource<std::uint32_t, exclusive>;
    static_assert(sizeof(account) == 16);
    std::deque<account> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(1U);
    pool workers{2};
    constexpr std::size_t at_once = 1'000;
    workers.run([&] {
        for (std::size_t first = 0; first < count; first += at_once) {
            workers.submit([&, first] {
                std::vector<account*> some;
                for (std::size_t i = 0; i < at_once; ++i) some.push_back(&all[first + i]);
                when(some).submit([](std::span<std::uint32_t* const> data) {
                    for (std::uint32_t* each : data) ++*each;
                });
            });
        }
    });
    workers.stop();
    pool reader{1};
    for (std::size_t i = 0; i < count; i += count / 10) {
        EXPECT_EQ(when(all[i]).submit(reader, [](std::uint32_t& x) { return x; }).get(), 2U);
    }
}

} // namespace
} // namespace weft
