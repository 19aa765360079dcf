// What all parallel algorithms promise: the results of the standard's, stop, exceptions, where they
// run. Each test goes through all of them.
#include "conform/cpp/algorithm_cases.hpp"

#include <weft/algorithm.hpp>
#include <weft/contract.hpp>
#include <weft/graph.hpp>
#include <weft/resource.hpp>
#include <weft/task_group.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <numeric>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

class algorithm_promises_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, algorithm_promises_on, testing::Values(1, 2, 3, 8));

/// Every algorithm, as `call(look, options)` on sorted numbers: `look(number)` is called for each
/// element, or for those that are compared.
class all_algorithms {
public:
    using look_at = std::function<int(int)>;
    struct entry {
        std::string name;
        std::function<void(const look_at&, const parallel_options&)> call;
    };
    /// Each is a call on this pool, or on that of the calling worker.
    explicit all_algorithms(std::size_t size, pool* home = nullptr);

    [[nodiscard]] const std::vector<entry>& entries() const { return entries_; }

private:
    template <class... Arguments>
    void with_pool(auto call, Arguments&&... arguments) {
        if (home_ != nullptr) call(*home_, std::forward<Arguments>(arguments)...);
        else call(std::forward<Arguments>(arguments)...);
    }
    std::vector<int> numbers_; // mixed, but for the first
    std::vector<int> sorted_;
    std::list<int> list_;
    pool* home_;
    std::vector<entry> entries_;
};

all_algorithms::all_algorithms(std::size_t size, pool* home) : home_{home} {
    for (std::size_t i = 0; i != size; ++i) numbers_.push_back(static_cast<int>(i * 7'919 % size));
    sorted_ = numbers_;
    std::ranges::sort(sorted_);
    list_.assign(sorted_.begin(), sorted_.end());
    const auto add = [&](const char* name, auto call) {
        entries_.push_back({name, [this, call](const look_at& look, const parallel_options& with) {
                                with_pool([&](auto&... named) { call(look, with, named...); });
                            }});
    };
    using options = parallel_options;
    add("parallel_for", [this](auto& look, const options& with, auto&... in) {
        parallel_for(in..., 0, static_cast<int>(numbers_.size()), look, with);
    });
    add("parallel_for", [this](auto& look, const options& with, auto&... in) {
        const block_2d whole{{0, 1}, {0, numbers_.size()}};
        const auto cell = [&](std::size_t, std::size_t i) { look(static_cast<int>(i)); };
        parallel_for(in..., whole, cell, with);
    });
    add("parallel_for_each", [this](auto& look, const options& with, auto&... in) {
        parallel_for_each(in..., list_, look, {}, with);
    });
    add("parallel_transform", [this](auto& look, const options& with, auto&... in) {
        std::vector<int> out(2 * sorted_.size());
        parallel_transform(in..., sorted_, out.begin(), look, {}, with);
    });
    add("parallel_transform_reduce", [this](auto& look, const options& with, auto&... in) {
        const auto most = [](int a, int b) { return std::max(a, b); };
        parallel_transform_reduce(in..., sorted_, 0, most, look, with);
        options fixed = with;
        fixed.reproducible = true;
        parallel_transform_reduce(in..., sorted_, 0, most, look, fixed);
    });
    add("parallel_count_if", [this](auto& look, const options& with, auto&... in) {
        static_cast<void>(parallel_count_if(in..., sorted_, look, {}, with));
    });
    add("parallel_find_if", [this](auto& look, const options& with, auto&... in) {
        const auto never = [&](int each) { return look(each) < 0; };
        static_cast<void>(parallel_find_if(in..., sorted_, never, {}, with));
    });
    add("parallel_all_of", [this](auto& look, const options& with, auto&... in) {
        const auto always = [&](int each) { return look(each) >= 0; };
        static_cast<void>(parallel_all_of(in..., sorted_, always, {}, with));
    });
    add("parallel_min_max", [this](auto& look, const options& with, auto&... in) {
        static_cast<void>(parallel_min_max(in..., sorted_, {}, look, with));
    });
    add("parallel_inclusive_scan", [this](auto& look, const options& with, auto&... in) {
        std::vector<int> out(2 * sorted_.size());
        const auto most = [&](int a, int b) { return std::max(a, look(b)); };
        parallel_inclusive_scan(in..., sorted_, out.begin(), most, with);
    });
    add("parallel_exclusive_scan", [this](auto& look, const options& with, auto&... in) {
        std::vector<int> out(2 * sorted_.size());
        const auto most = [&](int a, int b) { return std::max(a, look(b)); };
        parallel_exclusive_scan(in..., sorted_, out.begin(), 0, most, with);
    });
    add("parallel_copy_if", [this](auto& look, const options& with, auto&... in) {
        std::vector<int> out(2 * sorted_.size());
        parallel_copy_if(in..., sorted_, out.begin(), look, {}, with);
    });
    const auto less = [](auto& look) {
        return [&look](int a, int b) { return look(a) < look(b); };
    };
    add("parallel_sort", [this, less](auto& look, const options& with, auto&... in) {
        auto mixed = numbers_;
        parallel_sort(in..., mixed, less(look), {}, with);
    });
    add("parallel_stable_sort", [this, less](auto& look, const options& with, auto&... in) {
        auto mixed = numbers_;
        parallel_stable_sort(in..., mixed, less(look), {}, with);
    });
    add("parallel_partition", [this](auto& look, const options& with, auto&... in) {
        auto mixed = sorted_;
        const auto is_even = [&](int each) { return look(each) % 2 == 0; };
        parallel_partition(in..., mixed, is_even, {}, with);
    });
    add("parallel_merge", [this, less](auto& look, const options& with, auto&... in) {
        std::vector<int> out(2 * sorted_.size());
        parallel_merge(in..., sorted_, sorted_, out.begin(), less(look), {}, {}, with);
    });
}

// Results
TEST_P(algorithm_promises_on, results_on_any_size_are_those_of_the_standard) {
    std::vector<std::size_t> sizes{0, 1, 2, 3, 7, 31, 251, 1'021, 8'191, 65'537};
    for (int i = 0; i != 10; ++i) sizes.push_back(random() % 20'000);
    sizes.push_back(scaled(sanitized ? 20'011 : 200'003, 10'000'019)); // a prime too
    for (const std::size_t size : sizes) {
        const std::vector<int> numbers = random_numbers(random, size, 1 << 20);
        const int limit = 1 << 19;
        const auto is_low = [&](int each) { return each < limit; };
        std::vector<int> sorted = numbers;
        workers.run([&] { parallel_sort(sorted); });
        std::vector<int> expected = numbers;
        std::ranges::sort(expected);
        EXPECT_TRUE(sorted == expected) << size;
        workers.run([&] {
            const std::size_t low = parallel_count_if(numbers, is_low);
            EXPECT_EQ(low, std::ranges::count_if(numbers, is_low)) << size;
            std::vector<int> parts = numbers;
            const auto border = parallel_partition(parts, is_low);
            EXPECT_EQ(border - parts.begin(), static_cast<std::ptrdiff_t>(low)) << size;
            EXPECT_TRUE(std::ranges::is_partitioned(parts, is_low)) << size;
            std::vector<int> all(2 * size);
            EXPECT_EQ(parallel_merge(std::vector<int>{}, sorted, all.begin()),
                      all.begin() + static_cast<std::ptrdiff_t>(size));
            parallel_merge(sorted, sorted, all.begin());
            EXPECT_TRUE(std::ranges::is_sorted(all) &&
                        std::ranges::count_if(all, is_low) == static_cast<std::ptrdiff_t>(2 * low));
            const auto ends = parallel_min_max(numbers);
            const auto known = std::ranges::minmax_element(numbers);
            EXPECT_TRUE(ends.min == known.min && ends.max == known.max) << size;
            const int last = size == 0 ? 0 : numbers.back();
            EXPECT_EQ(parallel_find(numbers, last), std::ranges::find(numbers, last)) << size;
            std::vector<std::int64_t> twice(size);
            parallel_transform(numbers, twice.begin(), [](int each) { return 2L * each; });
            EXPECT_EQ(parallel_reduce(twice, std::int64_t{0}),
                      2 * std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}));
        });
    }
}

// Stop

TEST_P(algorithm_promises_on, stop_before_the_call_is_noticed_and_names_it) {
    std::stop_source stopped;
    stopped.request_stop();
    for (const std::size_t size : {0U, 1U, 100U}) {
        for (pool* const home : {static_cast<pool*>(nullptr), &workers}) {
            const all_algorithms all{size, home};
            const auto check = [&] {
                for (const auto& each : all.entries()) {
                    const auto& name = each.name;
                    const auto& call = each.call;
                    try {
                        call([](int) -> int { throw thrown_at{0}; }, {.stop = stopped.get_token()});
                        ADD_FAILURE() << name << " of " << size;
                    } catch (const error& noticed) {
                        EXPECT_EQ(noticed.code(), errc::cancelled) << name;
                        EXPECT_NE(std::string{noticed.what()}.find(name), std::string::npos);
                    }
                }
            };
            if (home == nullptr) workers.run(check);
            else check();
        }
    }
}

/// However few the elements are, if each takes long.
TEST_P(algorithm_promises_on, stop_ends_every_algorithm_soon) {
    for (const std::size_t size : {200U, 1'500U}) {
        for (const std::size_t grain : {0U, 1U}) {
            const all_algorithms all{size};
            for (const auto& each : all.entries()) {
                const auto& name = each.name;
                const auto& call = each.call;
                std::stop_source source;
                std::atomic<int> looked{0};
                const auto look = [&](int number) {
                    if (++looked == 20) source.request_stop();
                    const auto begin = std::chrono::steady_clock::now();
                    while (std::chrono::steady_clock::now() - begin <
                           std::chrono::microseconds{2}) {
                    }
                    return number;
                };
                workers.run([&] {
                    EXPECT_EQ(
                        error_of([&] { call(look, {.grain = grain, .stop = source.get_token()}); }),
                        "cancelled")
                        << name << " of " << size << " by " << grain;
                });
            }
        }
    }
}

// Exceptions

TEST_P(algorithm_promises_on, an_exception_arrives_once_and_ends_the_call) {
    for (const bool from_outside : {false, true}) {
        const all_algorithms all{3'000, from_outside ? &workers : nullptr};
        for (const auto& each : all.entries()) {
            const auto& name = each.name;
            const auto& call = each.call;
            std::atomic<int> thrown{0};
            const auto fail = [&](int number) {
                if (number < 100) return number;
                ++thrown;
                throw thrown_at{static_cast<std::size_t>(number)};
            };
            int arrived = 0;
            const auto attempt = [&] {
                try {
                    call(fail, {.grain = 16});
                } catch (const thrown_at&) {
                    ++arrived;
                }
            };
            if (from_outside) attempt();
            else workers.run(attempt);
            EXPECT_EQ(arrived, 1) << name;
            EXPECT_LE(thrown, static_cast<int>(2 * GetParam() + 2)) << name; // at most one each
        }
    }
}

// Where they run

TEST_P(algorithm_promises_on, every_algorithm_works_wherever_tasks_run) {
    const all_algorithms all{2'000};
    std::atomic<int> looked{0};
    const auto look = [&](int number) {
        ++looked;
        return number;
    };
    for (const auto& each : all.entries()) {
        const auto& name = each.name;
        const auto& call = each.call;
        looked = 0;
        const auto use = [&] { call(look, {}); };
        const auto expect_use = [&](const char* place) {
            EXPECT_GE(looked.exchange(0), 1'999) << name << " in " << place;
        };
        workers.submit(use).get();
        expect_use("a task");
        workers.submit([] {}).then([&](const future<void>&) { use(); }).get();
        expect_use("a continuation");
        task_group group{workers};
        group.submit(use);
        group.wait();
        expect_use("a group");
        resource<int> data;
        limit one{1};
        when(data, one).submit(workers, [&](int&) { use(); }).get();
        expect_use("a task on resources");
        {
            contract_group contracts{workers};
            contracts.create(use).schedule();
            contracts.wait();
        }
        expect_use("a contract");
        graph nodes;
        nodes.add(use);
        nodes.run(workers).get();
        expect_use("a node");
        workers.run([&] { static_cast<void>(fork_join(use, [] {})); });
        expect_use("fork_join");
    }
}

TEST_P(algorithm_promises_on, every_algorithm_works_in_the_bodies_of_others) {
    const all_algorithms inner{16};
    const all_algorithms outer{12};
    for (const auto& around : outer.entries()) {
        for (const auto& each : inner.entries()) {
            const auto& name = each.name;
            const auto& call = each.call;
            std::atomic<int> looked{0};
            const auto nested = [&](int number) {
                call([&](int each) { return ++looked, each; }, {.grain = 4});
                return number;
            };
            workers.run([&] { around.call(nested, {.grain = 3}); });
            EXPECT_GE(looked, 11 * 15) << name << " in " << around.name;
        }
    }
}

TEST_P(algorithm_promises_on, all_of_it_runs_on_workers_if_it_does_not_start_here) {
    const all_algorithms all{1'000, &workers};
    const auto caller = std::this_thread::get_id();
    for (const auto& each : all.entries()) {
        const auto& name = each.name;
        const auto& call = each.call;
        std::atomic<int> here{0};
        const auto look = [&](int number) {
            here += std::this_thread::get_id() == caller ? 1 : 0;
            return number;
        };
        call(look, {.starts_here = false});
        EXPECT_EQ(here, 0) << name;
    }
}

// Sorts

TEST_P(algorithm_promises_on, what_is_sorted_or_falling_takes_one_pass) {
    std::vector<int> numbers(10'000);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (const bool falling : {false, true}) {
        for (const bool stable : {false, true}) {
            std::vector<int> some = numbers;
            if (falling) std::ranges::reverse(some);
            std::atomic<std::size_t> compared{0};
            const auto less = [&](int a, int b) { return ++compared, a < b; };
            workers.run([&] {
                if (stable) parallel_stable_sort(some, less);
                else parallel_sort(some, less);
            });
            EXPECT_EQ(some, numbers);
            EXPECT_LE(compared, numbers.size()) << (stable ? "stable" : "") << falling;
        }
    }
}

TEST_P(algorithm_promises_on, a_grain_bounds_the_pieces_of_a_sort) {
    const std::vector<int> numbers = random_numbers(random, 5'000, 1 << 30);
    for (const bool stable : {false, true}) {
        const auto threads_with = [&](std::size_t grain) {
            std::set<std::thread::id> threads;
            std::mutex guard;
            std::vector<int> some = numbers;
            const auto less = [&](int a, int b) {
                const std::lock_guard locked{guard};
                threads.insert(std::this_thread::get_id());
                return a < b;
            };
            workers.run([&] {
                if (stable) parallel_stable_sort(some, less, {}, {.grain = grain});
                else parallel_sort(some, less, {}, {.grain = grain});
            });
            EXPECT_TRUE(std::ranges::is_sorted(some));
            return threads.size();
        };
        EXPECT_EQ(threads_with(2'501), 1U); // no two pieces can have it
        if (GetParam() > 1) {
            EXPECT_TRUE(comes_soon([&] { return threads_with(30) > 1; }));
        }
    }
}

} // namespace
} // namespace weft
