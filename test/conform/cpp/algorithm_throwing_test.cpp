// What is left when a user's copy, move, comparison, projection or operation throws.
#include <weft/algorithm.hpp>

#include "conform/cpp/algorithm_cases.hpp"
#include "conform/cpp/fragile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// The data of one call.
struct trial {
    static constexpr int untouched = -1;

    explicit trial(const std::vector<int>& numbers, std::size_t outputs = 0) {
        for (const int each : numbers) input.emplace_back(steps, each);
        for (std::size_t i = 0; i != outputs; ++i) output.emplace_back(steps, untouched);
    }

    fuse steps; // outlives the elements
    std::vector<fragile> input;
    std::vector<fragile> output;

    [[nodiscard]] fragile_less less() { return {&steps}; }
    [[nodiscard]] fragile_condition condition() { return {&steps}; }
};

bool are(const std::vector<fragile>& found, const std::vector<int>& expected) {
    return std::ranges::equal(found, expected, {}, &fragile::number);
}
bool are_in_any_order(const std::vector<fragile>& found, std::vector<int> expected) {
    std::vector<int> left;
    std::ranges::transform(found, std::back_inserter(left), &fragile::number);
    std::ranges::sort(left);
    std::ranges::sort(expected);
    return left == expected;
}
/// Each element is as it was before the call, or as it is after one that ends well.
bool are_partly(const std::vector<fragile>& found, const std::vector<int>& expected) {
    std::size_t i = 0;
    return std::ranges::all_of(found, [&](const fragile& each) {
        const bool written = i < expected.size() && each.number() == expected[i];
        ++i;
        return written || each.number() == trial::untouched;
    });
}

class throwing_algorithms_on : public algorithm_on {
protected:
    static constexpr operation all_operations[] = {
        operation::copy, operation::move, operation::compare, operation::project, operation::apply};

    /// Lets the first operation of each kind throw in `call(trial, options, home...)`, then a later
    /// one, and so on until the call ends well. After each, `check(trial, kind, failed)` looks at
    /// what is left. Once all operations after the first that throws do so too.
    template <class Call, class Check>
    void with_each_failure(const std::vector<int>& numbers, std::size_t outputs, Call call,
                           Check check) {
        for (const operation kind : all_operations) {
            for (const std::size_t grain : {0U, 5U}) {
                for (const bool lasting : {false, true}) {
                    const attempt made{kind, {.grain = grain}, lasting};
                    for (std::int64_t at = 1; fails(made, at, numbers, outputs, call, check);
                         at += at / 2 + 1) {
                    }
                }
            }
        }
    }

private:
    struct attempt {
        operation kind;
        parallel_options options;
        bool lasting;
    };

    template <class Call, class Check>
    bool fails(const attempt& made, std::int64_t at, const std::vector<int>& numbers,
               std::size_t outputs, Call call, Check check) {
        trial data{numbers, outputs};
        bool failed = false;
        const auto run = [&](auto&... home) {
            data.steps.arm(made.kind, at, made.lasting);
            try {
                call(data, made.options, home...);
            } catch (const thrown_at&) {
                failed = true;
            }
            data.steps.disarm();
        };
        if (at % 4 == 3) run(workers); // from outside
        else workers.run([&] { run(); });

        EXPECT_EQ(failed, data.steps.thrown() != 0) << "an exception was lost";
        EXPECT_EQ(data.steps.looks_at_empty(), 0U) << "an element was used after its move";
        check(data, made.kind, failed);
        EXPECT_EQ(data.steps.alive(), data.input.size() + data.output.size());
        for (fragile& each : data.input) each = fragile{data.steps, 1}; // each can be used again
        data.input.clear();
        data.output.clear();
        EXPECT_EQ(data.steps.alive(), 0);
        return failed && !HasFailure();
    }
};
INSTANTIATE_TEST_SUITE_P(workers, throwing_algorithms_on, testing::Values(1, 2, 8));

// Sorts

TEST_P(throwing_algorithms_on, a_sort_whose_comparison_throws_leaves_the_elements_in_any_order) {
    const std::vector<int> numbers = random_numbers(random, 3'000, 1'000'000);
    auto sorted = numbers;
    std::ranges::sort(sorted);
    with_each_failure(
        numbers, 0,
        [](trial& data, const parallel_options& options, auto&... home) {
            parallel_sort(home..., data.input, data.less(), fragile_projection{}, options);
        },
        [&](const trial& data, operation kind, bool failed) {
            if (!failed) {
                EXPECT_TRUE(are(data.input, sorted));
            } else if (kind != operation::move) {
                EXPECT_TRUE(are_in_any_order(data.input, numbers));
            }
        });
}

TEST_P(throwing_algorithms_on, a_sort_of_numbers_loses_none) {
    const std::vector<int> numbers = random_numbers(random, 10'000, 1'000'000);
    for (int limit = 1; limit < 200'000; limit *= 3) {
        for (const bool stable : {false, true}) {
            auto left = numbers;
            std::atomic<int> calls{0};
            const auto compare = [&](int a, int b) {
                if (++calls == limit) throw thrown_at{0};
                return a < b;
            };
            bool failed = false;
            workers.run([&] {
                try {
                    if (stable) parallel_stable_sort(left, compare);
                    else parallel_sort(left, compare);
                } catch (const thrown_at&) {
                    failed = true;
                }
            });
            EXPECT_EQ(failed, calls >= limit);
            if (failed && stable) continue; // their values are not specified
            EXPECT_EQ(std::ranges::is_sorted(left), !failed);
            std::ranges::sort(left);
            auto sorted = numbers;
            std::ranges::sort(sorted);
            EXPECT_TRUE(left == sorted);
        }
    }
}

/// Answers so that the pivot is always near one end, whatever it is (M. D. McIlroy, A killer
/// adversary for quicksort, 1999).
class adversary {
public:
    /// The first three are in no order, or the range would be found to be sorted.
    explicit adversary(int size) : values_(static_cast<std::size_t>(size), size), gas_{size} {
        value(0) = 1;
        value(1) = 2;
        value(2) = 0;
    }
    bool less(int a, int b) {
        ++calls_;
        if (value(a) == gas_ && value(b) == gas_) value(a == candidate_ ? a : b) = solid_++;
        if (value(a) == gas_) candidate_ = a;
        else if (value(b) == gas_) candidate_ = b;
        return value(a) < value(b);
    }
    [[nodiscard]] int calls() const { return calls_; }

private:
    int& value(int index) { return values_[static_cast<std::size_t>(index)]; }
    std::vector<int> values_;
    int gas_;
    int solid_ = 3;
    int candidate_ = 0;
    int calls_ = 0;
};

TEST(throwing_algorithms, a_sort_of_the_worst_case_is_fast_and_loses_nothing_either) {
    constexpr int size = 2'000;
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    pool workers{1};
    for (int limit = 1;; limit += limit / 4 + 1) {
        trial data{numbers};
        adversary enemy{size};
        bool failed = false;
        workers.run([&] {
            try {
                parallel_sort(
                    data.input,
                    [&](int a, int b) {
                        const bool less = enemy.less(a, b);
                        if (enemy.calls() == limit) throw thrown_at{0};
                        return less;
                    },
                    &fragile::number);
            } catch (const thrown_at&) {
                failed = true;
            }
        });
        EXPECT_TRUE(are_in_any_order(data.input, numbers)) << limit;
        EXPECT_EQ(data.steps.alive(), size);
        if (failed) continue;
        EXPECT_LT(enemy.calls(), 8 * size * 11); // some times n log n, and far below n * n / 2
        break;
    }
}

TEST_P(throwing_algorithms_on, a_stable_sort_leaves_elements_that_can_be_used) {
    const std::vector<int> numbers = random_numbers(random, 3'000, 1'000'000);
    auto sorted = numbers;
    std::ranges::sort(sorted);
    with_each_failure(
        numbers, 0,
        [](trial& data, const parallel_options& options, auto&... home) {
            parallel_stable_sort(home..., data.input, data.less(), fragile_projection{}, options);
        },
        [&](const trial& data, operation, bool failed) {
            EXPECT_EQ(data.input.size(), numbers.size());
            if (!failed) {
                EXPECT_TRUE(are(data.input, sorted));
            }
        });
}

TEST_P(throwing_algorithms_on, a_partition_whose_condition_throws_has_all_elements) {
    const std::vector<int> numbers = random_numbers(random, 600);
    with_each_failure(
        numbers, 0,
        [](trial& data, const parallel_options& options, auto&... home) {
            const auto middle = parallel_partition(home..., data.input, data.condition(),
                                                   fragile_projection{}, options);
            data.steps.disarm();
            EXPECT_TRUE(std::ranges::all_of(data.input.begin(), middle, data.condition(),
                                            &fragile::number));
            EXPECT_TRUE(
                std::ranges::none_of(middle, data.input.end(), data.condition(), &fragile::number));
        },
        [&](const trial& data, operation kind, bool failed) {
            if (failed && kind == operation::move) return;
            EXPECT_TRUE(are_in_any_order(data.input, numbers));
        });
}

// What writes to an output

TEST_P(throwing_algorithms_on, a_merge_leaves_its_ranges_and_a_part_of_its_output) {
    auto numbers = random_numbers(random, 600);
    const auto middle = numbers.begin() + 250;
    std::sort(numbers.begin(), middle);
    std::sort(middle, numbers.end());
    auto merged = numbers;
    std::ranges::sort(merged);
    with_each_failure(
        numbers, numbers.size(),
        [](trial& data, const parallel_options& options, auto&... home) {
            const std::span<const fragile> both{data.input};
            parallel_merge(home..., both.first(250), both.subspan(250), data.output.begin(),
                           data.less(), fragile_projection{}, fragile_projection{}, options);
        },
        [&](const trial& data, operation, bool failed) {
            EXPECT_TRUE(are(data.input, numbers));
            EXPECT_TRUE(failed ? are_partly(data.output, merged) : are(data.output, merged));
        });
}

TEST_P(throwing_algorithms_on, copy_if_and_transform_leave_their_range_and_a_part_of_the_output) {
    const std::vector<int> numbers = random_numbers(random, 600);
    std::vector<int> chosen;
    std::vector<int> doubled;
    for (const int each : numbers) {
        if (each % 3 == 0) chosen.push_back(each);
        doubled.push_back(2 * each);
    }
    with_each_failure(
        numbers, numbers.size(),
        [&](trial& data, const parallel_options& options, auto&... home) {
            const auto end =
                parallel_copy_if(home..., std::as_const(data.input), data.output.begin(),
                                 data.condition(), fragile_projection{}, options);
            EXPECT_EQ(static_cast<std::size_t>(end - data.output.begin()), chosen.size());
        },
        [&](const trial& data, operation, bool) {
            EXPECT_TRUE(are(data.input, numbers));
            EXPECT_TRUE(are_partly(data.output, chosen));
        });
    with_each_failure(
        numbers, numbers.size(),
        [](trial& data, const parallel_options& options, auto&... home) {
            const auto twice = [](const fragile& each) { return fragile_sum{}(each, each); };
            parallel_transform(home..., std::as_const(data.input), data.output.begin(), twice, {},
                               options);
        },
        [&](const trial& data, operation, bool failed) {
            EXPECT_TRUE(are(data.input, numbers));
            EXPECT_TRUE(failed ? are_partly(data.output, doubled) : are(data.output, doubled));
        });
}

TEST_P(throwing_algorithms_on, scans_leave_their_range_and_a_part_of_the_output) {
    const std::vector<int> numbers = random_numbers(random, 600);
    std::vector<int> sums(numbers.size());
    std::inclusive_scan(numbers.begin(), numbers.end(), sums.begin());
    std::vector<int> before(numbers.size());
    std::exclusive_scan(numbers.begin(), numbers.end(), before.begin(), 7);
    with_each_failure(
        numbers, numbers.size(),
        [](trial& data, const parallel_options& options, auto&... home) {
            parallel_inclusive_scan(home..., std::as_const(data.input), data.output.begin(),
                                    fragile_sum{}, options);
        },
        [&](const trial& data, operation, bool failed) {
            EXPECT_TRUE(are(data.input, numbers));
            EXPECT_TRUE(failed ? are_partly(data.output, sums) : are(data.output, sums));
        });
    with_each_failure(
        numbers, numbers.size(),
        [](trial& data, const parallel_options& options, auto&... home) {
            parallel_exclusive_scan(home..., std::as_const(data.input), data.output.begin(),
                                    fragile{data.steps, 7}, fragile_sum{}, options);
        },
        [&](const trial& data, operation, bool failed) {
            EXPECT_TRUE(are(data.input, numbers));
            EXPECT_TRUE(failed ? are_partly(data.output, before) : are(data.output, before));
        });
}

// What only reads

TEST_P(throwing_algorithms_on, reductions_leave_their_range) {
    const std::vector<int> numbers = random_numbers(random, 600);
    const int sum = std::accumulate(numbers.begin(), numbers.end(), 5);
    for (const bool reproducible : {false, true}) {
        with_each_failure(
            numbers, 0,
            [&](trial& data, const parallel_options& options, auto&... home) {
                parallel_options chosen = options;
                chosen.reproducible = reproducible;
                const fragile found =
                    parallel_reduce(home..., std::as_const(data.input), fragile{data.steps, 5},
                                    fragile_sum{}, chosen);
                EXPECT_EQ(found.number(), sum);
            },
            [&](const trial& data, operation, bool) { EXPECT_TRUE(are(data.input, numbers)); });
    }
}

TEST_P(throwing_algorithms_on, searches_leave_their_range) {
    const std::vector<int> numbers = random_numbers(random, 600);
    const auto ends = std::ranges::minmax_element(numbers);
    with_each_failure(
        numbers, 0,
        [&](trial& data, const parallel_options& options, auto&... home) {
            const auto found =
                parallel_min_max(home..., data.input, data.less(), fragile_projection{}, options);
            EXPECT_EQ(found.min - data.input.begin(), ends.min - numbers.begin());
            EXPECT_EQ(found.max - data.input.begin(), ends.max - numbers.begin());
            const auto third = parallel_count_if(home..., data.input, data.condition(),
                                                 fragile_projection{}, options);
            EXPECT_EQ(third,
                      std::ranges::count_if(numbers, [](int each) { return each % 3 == 0; }));
            const auto last =
                parallel_find(home..., data.input, numbers.back(), fragile_projection{}, options);
            EXPECT_EQ(last - data.input.begin(),
                      std::ranges::find(numbers, numbers.back()) - numbers.begin());
        },
        [&](const trial& data, operation, bool) { EXPECT_TRUE(are(data.input, numbers)); });
}

} // namespace
} // namespace weft
