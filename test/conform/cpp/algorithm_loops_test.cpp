#include <weft/parallel_for.hpp>

#include "conform/cpp/algorithm_cases.hpp"

#include <weft/contract.hpp>
#include <weft/resource.hpp>
#include <weft/task_group.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

class parallel_loops_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, parallel_loops_on, testing::Values(1, 2, 3, 8));

using visits = std::vector<std::atomic<int>>;

bool each_once(const visits& counts) {
    return std::ranges::all_of(counts, [](const auto& each) { return each == 1; });
}

// Indices

TEST_P(parallel_loops_on, each_index_is_visited_once) {
    with_each_size([](std::size_t size, const parallel_options& options) {
        visits counts(size);
        parallel_for(0, size, [&](std::size_t index) { ++counts[index]; }, options);
        EXPECT_TRUE(each_once(counts)) << size << " by " << options.grain;
    });
    with_large_size([](std::size_t size) {
        visits counts(size);
        parallel_for(0, size, [&](std::size_t index) { ++counts[index]; });
        EXPECT_TRUE(each_once(counts));
    });
}

TEST_P(parallel_loops_on, the_index_has_the_common_type_of_both_ends) {
    workers.run([] {
        std::atomic<int> sum{0};
        parallel_for(-5, 6, [&](auto index) {
            static_assert(std::same_as<decltype(index), int>);
            sum += index * index;
        });
        EXPECT_EQ(sum, 110);
        parallel_for(0, std::size_t{3},
                     [](auto index) { static_assert(std::same_as<decltype(index), std::size_t>); });
        std::atomic<std::uint64_t> count{0};
        parallel_for(std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::min() + 3, [&](std::int64_t) { ++count; });
        EXPECT_EQ(count, 3);
    });
}

TEST_P(parallel_loops_on, indices_that_are_not_below_the_end_are_not_visited) {
    workers.run([] {
        const auto never = [](auto) { FAIL(); };
        parallel_for(3, 3, never);
        parallel_for(4, 3, never);
        parallel_for(std::size_t{4}, -3, never);
        EXPECT_EQ(error_of([&] { parallel_for(-1, std::size_t{3}, never); }), "invalid_argument");
    });
}

TEST_P(parallel_loops_on, parts_have_the_grain) {
    for (const std::size_t grain : {1U, 5U, 100U}) {
        for (const std::size_t size : {1U, 4U, 99U, 1000U, 1001U}) {
            visits counts(size);
            workers.run([&] {
                parallel_for(index_range{10, 10 + size},
                             [&](const index_range& part) {
                                 EXPECT_GE(part.size(), std::min(size, grain));
                                 EXPECT_LT(part.size(), 2 * grain);
                                 for (std::size_t i = part.first; i != part.last; ++i) {
                                     ++counts[i - 10];
                                 }
                             },
                             {.grain = grain});
            });
            EXPECT_TRUE(each_once(counts)) << size << " by " << grain;
        }
    }
}

// Blocks

TEST_P(parallel_loops_on, each_cell_is_visited_once) {
    using shape = std::pair<int, int>;
    for (const auto& [rows, columns] : {shape{1, 1}, {1, 50}, {50, 1}, {7, 9}, {0, 5}, {5, 0}}) {
        const block_2d whole{{3, 3 + static_cast<std::size_t>(rows)},
                             {4, 4 + static_cast<std::size_t>(columns)}};
        with_each_grain([&](const parallel_options& options) {
            visits cells(whole.size());
            visits parts(whole.size());
            const auto cell = [&](std::size_t row, std::size_t column) -> std::size_t {
                return (row - 3) * whole.columns.size() + column - 4;
            };
            parallel_for(
                whole, [&](std::size_t i, std::size_t j) { ++cells[cell(i, j)]; }, options);
            parallel_for(
                whole,
                [&](const block_2d& part) {
                    EXPECT_TRUE(part.columns == whole.columns || part.rows.size() == 1);
                    for (std::size_t i = part.rows.first; i != part.rows.last; ++i) {
                        for (std::size_t j = part.columns.first; j != part.columns.last; ++j) {
                            ++parts[cell(i, j)];
                        }
                    }
                },
                options);
            EXPECT_TRUE(each_once(cells) && each_once(parts)) << whole.size();
        });
    }
}

TEST_P(parallel_loops_on, each_cell_of_three_dimensions_is_visited_once) {
    const block_3d whole{{1, 4}, {2, 7}, {3, 10}};
    with_each_grain([&](const parallel_options& options) {
        visits cells(whole.size());
        std::atomic<std::size_t> sum{0};
        parallel_for(
            whole,
            [&](std::size_t i, std::size_t j, std::size_t k) {
                ++cells[((i - 1) * 5 + j - 2) * 7 + k - 3];
            },
            options);
        parallel_for(whole, [&](const block_3d& part) { sum += part.size(); }, options);
        EXPECT_TRUE(each_once(cells));
        EXPECT_EQ(sum, whole.size());
    });
}

// Elements

TEST_P(parallel_loops_on, each_element_is_visited_once) {
    with_each_size([](std::size_t size, const parallel_options& options) {
        std::vector<int> numbers(size);
        std::list<int> list(size);
        parallel_for(numbers, [](int& each) { each += 1; }, options);
        parallel_for(numbers.begin(), numbers.end(), [](int& each) { each += 2; }, options);
        parallel_for_each(numbers, [](int& each) { each += 4; }, {}, options);
        parallel_for_each(list, [](int& each) { each += 7; }, {}, options);
        EXPECT_EQ(numbers, std::vector<int>(size, 7));
        EXPECT_EQ(list, std::list<int>(size, 7));
    });
}

TEST_P(parallel_loops_on, projections_and_views_are_accepted) {
    struct point {
        int x;
        int y;
    };
    workers.run([] {
        std::vector<point> points(100, {1, 2});
        std::atomic<int> sum{0};
        parallel_for_each(points, [&](int y) { sum += y; }, &point::y);
        EXPECT_EQ(sum, 200);
        sum = 0;
        parallel_for(std::span{points}.first(10), [&](const point& each) { sum += each.x; });
        EXPECT_EQ(sum, 10);
    });
}

TEST_P(parallel_loops_on, transform_writes_in_the_same_order) {
    with_each_size([](std::size_t size, const parallel_options& options) {
        std::vector<std::size_t> numbers(size);
        std::iota(numbers.begin(), numbers.end(), 0);
        std::vector<std::size_t> squares(size);
        const auto square = [](std::size_t each) { return each * each; };
        const auto end = parallel_transform(numbers, squares.begin(), square, {}, options);
        EXPECT_EQ(end, squares.end());
        parallel_transform(numbers, numbers.begin(), square, {}, options);
        EXPECT_EQ(numbers, squares);
        EXPECT_TRUE(size <= 4 || squares[4] == 16);
    });
}

TEST_P(parallel_loops_on, invoke_runs_each_callable) {
    std::atomic<int> sum{0};
    const auto add = [&](int value) { return [&sum, value] { return sum += value; }; };
    workers.run([&] {
        parallel_invoke(add(1));
        parallel_invoke(add(2), add(4), add(8));
    });
    parallel_invoke(workers, add(16), add(32));
    EXPECT_EQ(sum, 63);
}

// Failures

TEST_P(parallel_loops_on, the_exception_of_the_lowest_index_is_thrown) {
    with_each_grain([](const parallel_options& options) {
        std::atomic<std::size_t> lowest{1000};
        const auto fail = [&](std::size_t index) {
            if (index % 7 != 3) return;
            std::size_t known = lowest;
            while (index < known && !lowest.compare_exchange_weak(known, index)) {
            }
            throw thrown_at{index};
        };
        try {
            parallel_for(0, std::size_t{1000}, fail, options);
            ADD_FAILURE() << "no exception";
        } catch (const thrown_at& thrown) {
            EXPECT_EQ(thrown.index, lowest);
        }
    });
}

TEST_P(parallel_loops_on, after_an_exception_the_rest_is_not_visited) {
    std::atomic<int> visited{0};
    workers.run([&] {
        EXPECT_THROW(parallel_for(0, 1'000'000,
                                  [&](int index) {
                                      ++visited;
                                      if (index == 0) throw thrown_at{0};
                                  },
                                  {.grain = 1}),
                     thrown_at);
    });
    EXPECT_EQ(visited, 1); // no piece was divided before the first index was run
}

TEST_P(parallel_loops_on, stop_ends_with_cancelled) {
    for (const bool outside : {false, true}) {
        std::stop_source source;
        std::atomic<int> visited{0};
        const auto body = [&](int) {
            if (++visited == 10) source.request_stop();
        };
        const parallel_options options{.grain = 1, .stop = source.get_token()};
        std::string message;
        try {
            if (outside) parallel_for(workers, 0, 1'000'000, body, options);
            else workers.run([&] { parallel_for(0, 1'000'000, body, options); });
        } catch (const error& stopped) {
            EXPECT_EQ(stopped.code(), errc::cancelled);
            message = stopped.what();
        }
        EXPECT_NE(message.find("weft::parallel_for"), std::string::npos) << message;
        EXPECT_LT(visited, 1'000'000);
        visited = 0;
        workers.run(
            [&] { EXPECT_EQ(error_of([&] { parallel_for(0, 3, body, options); }), "cancelled"); });
        EXPECT_EQ(visited, 0);
    }
}

// Where it runs

TEST(parallel_loop_outside, needs_a_pool) {
    try {
        parallel_for(0, 3, [](int) { FAIL(); });
        FAIL();
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::outside_pool);
        EXPECT_NE(std::string{refused.what()}.find("weft::parallel_for"), std::string::npos);
    }
    EXPECT_EQ(error_of([] { parallel_invoke([] {}); }), "outside_pool");
}

TEST(parallel_loop_outside, is_refused_by_a_stopped_pool) {
    pool workers{1};
    workers.stop();
    EXPECT_EQ(error_of([&] { parallel_for(workers, 0, 3, [](int) { FAIL(); }); }), "stopped");
}

TEST_P(parallel_loops_on, a_short_loop_from_outside_runs_on_the_caller) {
    const auto caller = std::this_thread::get_id();
    parallel_for(workers, 0, 1, [&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
    parallel_for(workers, 0, 10, [&](int) { EXPECT_NE(std::this_thread::get_id(), caller); },
                 {.starts_here = false});
}

TEST_P(parallel_loops_on, a_long_loop_from_outside_goes_on_on_workers) {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> left{false};
    // The first element waits until the clock has gone on; the others until a worker has come.
    parallel_for(workers, 0, 1'000, [&](int index) {
        if (std::this_thread::get_id() != caller) left = true;
        const auto begin = std::chrono::steady_clock::now();
        while (index < 2 &&
               std::chrono::steady_clock::now() - begin < std::chrono::milliseconds{1}) {
        }
    });
    EXPECT_TRUE(left);
}

TEST_P(parallel_loops_on, bodies_that_the_caller_runs_find_the_pool) {
    std::atomic<int> sum{0};
    parallel_for(workers, 0, 1, [&](int) {
        parallel_for(0, 10, [&](int each) { sum += each; });
        parallel_invoke([&] { sum += 100; }, [&] { sum += 200; });
        static_cast<void>(fork_join([&] { sum += 1000; }, [&] { sum += 2000; }));
        task_group group;
        group.submit([&] { sum += 10'000; });
        group.wait();
        resource<int> data;
        when(data).submit([&](int&) { sum += 100'000; }).get();
    });
    EXPECT_EQ(sum, 113'345);
    EXPECT_EQ(error_of([] { fork_join([] {}, [] {}); }), "outside_pool");
}

TEST_P(parallel_loops_on, a_pool_may_be_named_on_its_own_workers_and_on_others) {
    pool other{2};
    std::atomic<int> sum{0};
    workers.run([&] {
        parallel_for(workers, 0, 100, [&](int each) {
            EXPECT_EQ(pool::current(), &workers);
            sum += each;
        });
        parallel_for(other, 0, 100, [&](int each) {
            EXPECT_EQ(pool::current(), &other);
            sum += each;
        });
    });
    EXPECT_EQ(sum, 9900);
}

TEST_P(parallel_loops_on, loops_nest) {
    with_each_grain([](const parallel_options& options) {
        std::vector<std::vector<int>> all(30, std::vector<int>(40));
        parallel_for(
            all,
            [&](std::vector<int>& row) { parallel_for(row, [](int& each) { ++each; }, options); },
            options);
        EXPECT_EQ(all, std::vector(30, std::vector<int>(40, 1)));
    });
}

TEST_P(parallel_loops_on, loops_run_inside_resources_and_contracts) {
    resource<std::vector<int>> data{std::vector<int>(1000)};
    contract_group group{workers};
    const contract raise = group.create([&] {
        std::atomic<int> sum{0};
        parallel_for(0, 1000, [&](int each) { sum += each; }, {.grain = 10});
        EXPECT_EQ(sum, 499'500);
    });
    raise.schedule();
    for (int round = 0; round != 10; ++round) {
        when(data).submit(workers, [](std::vector<int>& all) {
            parallel_for(all, [](int& each) { ++each; }, {.grain = 10});
        });
    }
    group.wait();
    EXPECT_TRUE(
        when(read(data))
            .submit(workers,
                    [](const std::vector<int>& all) { return all == std::vector<int>(1000, 10); })
            .get());
}

class divided_loops_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, divided_loops_on, testing::Values(2, 3, 8));

TEST_P(divided_loops_on, few_elements_use_several_workers) {
    const std::size_t wanted = std::min<std::size_t>(GetParam(), 3); // others may stay asleep
    std::mutex guard;
    std::set<std::thread::id> threads;
    workers.run([&] {
        while (threads.size() < wanted) { // a worker may not get a CPU for some time
            parallel_for(std::size_t{0}, 2 * GetParam(), [&](std::size_t) {
                {
                    const std::lock_guard locked{guard};
                    threads.insert(std::this_thread::get_id());
                }
                const auto begin = std::chrono::steady_clock::now();
                while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds{200}) {
                }
            });
        }
    });
}

TEST_P(divided_loops_on, a_running_loop_gives_some_of_its_rest_away) {
    std::mutex guard;
    std::set<std::thread::id> threads;
    std::atomic<std::size_t> count{0};
    workers.run([&] {
        EXPECT_THROW(parallel_for(0, 1 << 30,
                                  [&](int) {
                                      if (count >= 2) throw thrown_at{0}; // another has come
                                      const std::lock_guard locked{guard};
                                      threads.insert(std::this_thread::get_id());
                                      count = threads.size();
                                  }),
                     thrown_at);
    });
    EXPECT_GE(threads.size(), 2);
}

TEST_P(parallel_loops_on, deep_in_the_stack_loops_run_serially) {
    workers.run([] {
        std::atomic<int> sum{0};
        const std::function<void(char*)> descend = [&](char* above) {
            char frame[512];
            frame[0] = above[0];
            try {
                static_cast<void>(fork_join([] {}, [] {}));
                descend(frame);
            } catch (const error& exhausted) {
                if (exhausted.code() != errc::stack_exhausted || sum != 0) throw;
                parallel_for(0, 100, [&](int each) { sum += each; }, {.grain = 1});
            }
        };
        char top[1] = {};
        descend(top);
        EXPECT_EQ(sum, 4950);
    });
}

// What is refused by the compiler

template <class... Arguments>
concept loops_with = requires(Arguments... arguments) { parallel_for(arguments...); };
struct takes_string {
    void operator()(const std::string&) const;
};
struct takes_index {
    void operator()(std::size_t) const;
};
static_assert(loops_with<int, int, takes_index>);
static_assert(!loops_with<int, int, takes_string>);
static_assert(loops_with<std::vector<std::string>&, takes_string>);
static_assert(!loops_with<std::vector<std::string>&, takes_index>);
static_assert(!loops_with<std::list<std::string>&, takes_string>); // parallel_for_each accepts it
static_assert(!loops_with<block_2d, takes_index>);

} // namespace
} // namespace weft
