#include "problems.hpp"
#include "ranks.hpp"
#include "support/sanitizers.h"
#include "uts/tree.hpp"

#include <weft/cluster.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace weft {
namespace {

using test::clusters;

class cluster_run : public testing::TestWithParam<std::tuple<balancing, std::size_t>> {
protected:
    static cluster_run_options options() { return {.balancing = std::get<0>(GetParam())}; }
    static cluster& all() { return clusters::with_workers(std::get<1>(GetParam())); }
};

TEST_P(cluster_run, counts_the_ways_to_place_queens) {
    const test::queens::task board{.size = 8};
    EXPECT_EQ(all().run(test::queens{}, board, options()), 92U);
}

TEST_P(cluster_run, visits_each_node_of_random_trees_once) {
    for (std::uint64_t seed = 1; seed != 6; ++seed) {
        const test::random_tree::task root{.number = seed};
        EXPECT_EQ(all().run(test::random_tree{}, root, options()), test::random_tree::serial(root))
            << "seed " << seed;
    }
}

TEST_P(cluster_run, takes_the_root_of_rank_0) {
    const test::random_tree::task root{.number = 7};
    const test::random_tree::task mine =
        all().rank() == 0 ? root : test::random_tree::task{.number = 8};
    EXPECT_EQ(all().run(test::random_tree{}, mine, options()), test::random_tree::serial(root));
}

TEST_P(cluster_run, sends_tasks_and_results_that_own_memory) {
    const auto found = all().run(test::words{}, {}, options());
    std::uint64_t one_letter = 0;
    for (std::uint64_t length = 1, words = 1; length <= test::words::longest; ++length) {
        one_letter += words;
        words *= 4;
    }
    ASSERT_EQ(found.counts.size(), 4U);
    for (const auto& [letter, number] : found.counts) EXPECT_EQ(number, one_letter) << letter;
}

INSTANTIATE_TEST_SUITE_P(every, cluster_run,
                         testing::Combine(testing::Values(balancing::plan, balancing::random,
                                                          balancing::lifeline),
                                          testing::Values(0U, 1U, 2U)));

/// Counts the nodes of a tree of the Unbalanced Tree Search benchmark.
struct unbalanced_tree {
    using task = bench::uts::node;
    using result = std::int64_t;
    void work(const task& parent, bag<task>& more, result& nodes) const {
        ++nodes;
        const int children = bench::uts::children_of(*whole, parent);
        for (int i = 0; i != children; ++i) more.add(bench::uts::child_of(parent, i));
    }
    const bench::uts::tree* whole;
};

/// Millions of tasks: only by few ranks, and not under a sanitizer.
class cluster_uts : public testing::Test {
protected:
    void SetUp() override {
#if WEFT_SANITIZED
        GTEST_SKIP() << "millions of tasks are for builds without sanitizers";
#endif
        if (clusters::with_workers(1).size() != 4) GTEST_SKIP() << "only with 4 ranks";
    }
};

TEST_F(cluster_uts, counts_the_nodes_of_the_bushy_tree) {
    const bench::uts::tree whole = bench::uts::bushy();
    const unbalanced_tree problem{&whole};
    EXPECT_EQ(clusters::with_workers(1).run(problem, bench::uts::root_of(whole)), whole.nodes);
}

TEST_F(cluster_uts, counts_the_nodes_of_the_deep_tree) {
    const bench::uts::tree whole = bench::uts::deep();
    const unbalanced_tree problem{&whole};
    EXPECT_EQ(clusters::with_workers(1).run(problem, bench::uts::root_of(whole)), whole.nodes);
}

/// The product of two matrices, by division into blocks of rows, columns and the sum: the partial
/// results are whole matrices.
struct matrix_product {
    struct range {
        int first = 0;
        int last = 0;
        [[nodiscard]] int size() const { return last - first; }
        [[nodiscard]] range half(bool second) const {
            const int middle = first + size() / 2;
            return second ? range{middle, last} : range{first, middle};
        }
    };
    struct task {
        range rows, columns, sum;
    };
    struct result {
        std::vector<std::int64_t> cells;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(cells);
        }
    };
    static constexpr int size = 48;

    static std::int64_t left(int row, int column) { return row * 3 - column; }
    static std::int64_t right(int row, int column) { return row + 7 * column - 20; }

    void work(const task& block, bag<task>& more, result& product) const {
        if (block.rows.size() * block.columns.size() * block.sum.size() > 512) {
            divide(block, more);
            return;
        }
        product.cells.resize(static_cast<std::size_t>(size) * size);
        for (int row = block.rows.first; row != block.rows.last; ++row) {
            for (int column = block.columns.first; column != block.columns.last; ++column) {
                std::int64_t& cell = product.cells[static_cast<std::size_t>(row * size + column)];
                for (int k = block.sum.first; k != block.sum.last; ++k) {
                    cell += left(row, k) * right(k, column);
                }
            }
        }
    }
    static void divide(const task& block, bag<task>& more) {
        for (const bool second : {false, true}) {
            task half = block;
            range* longest = &half.rows;
            if (half.columns.size() > longest->size()) longest = &half.columns;
            if (half.sum.size() > longest->size()) longest = &half.sum;
            *longest = longest->half(second);
            more.add(half);
        }
    }
    static void combine(result& total, const result& part) {
        total.cells.resize(static_cast<std::size_t>(size) * size);
        for (std::size_t i = 0; i != part.cells.size(); ++i) total.cells[i] += part.cells[i];
    }
};

TEST(cluster_division, multiplies_matrices) {
    constexpr int size = matrix_product::size;
    const auto product =
        clusters::with_workers(1).run(matrix_product{}, {{0, size}, {0, size}, {0, size}});
    ASSERT_EQ(product.cells.size(), static_cast<std::size_t>(size) * size);
    for (int row = 0; row != size; ++row) {
        for (int column = 0; column != size; ++column) {
            std::int64_t sum = 0;
            for (int k = 0; k != size; ++k) {
                sum += matrix_product::left(row, k) * matrix_product::right(k, column);
            }
            ASSERT_EQ(product.cells[static_cast<std::size_t>(row * size + column)], sum);
        }
    }
}

/// A task may use the workers of its rank.
struct forking {
    using task = int;
    using result = std::int64_t;
    void work(int depth, bag<int>& more, result& sum) const {
        const auto [one, two] = fork_join([] { return 1; }, [] { return 2; });
        sum += one + two;
        for (int i = 0; depth != 0 && i != 2; ++i) more.add(depth - 1);
    }
};

TEST(cluster_workers, may_fork) {
    EXPECT_EQ(clusters::with_workers(2).run(forking{}, 8), 3 * ((1 << 9) - 1));
}

TEST(cluster_workers, are_those_of_a_pool_that_has_other_tasks) {
    pool own{2};
    cluster all{{.pool = &own}};
    EXPECT_EQ(all.workers(), 2U);
    auto other = own.submit([] { return 3; });
    EXPECT_EQ(all.run(test::queens{}, {.size = 7}), 40U);
    EXPECT_EQ(other.get(), 3);
}

TEST(cluster_loops, visit_each_index_once) {
    for (const std::size_t workers : {0U, 2U}) {
        cluster& all = clusters::with_workers(workers);
        std::vector<std::int64_t> visits(1'000);
        std::mutex one_at_a_time;
        all.for_each(0, 1'000, [&](std::int64_t i) {
            const std::lock_guard held{one_at_a_time};
            ++visits[static_cast<std::size_t>(i)];
        });
        // Each rank has its own counts.
        std::vector<std::int64_t> total(visits.size());
        MPI_Allreduce(visits.data(), total.data(), static_cast<int>(visits.size()), MPI_INT64_T,
                      MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(std::count(total.begin(), total.end(), 1), 1'000);
    }
}

TEST(cluster_loops, reduce) {
    cluster& all = clusters::with_workers(1);
    const auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    const auto square = [](std::int64_t i) { return i * i; };
    EXPECT_EQ(all.transform_reduce(0, 2'000, std::int64_t{5}, plus, square), 2'664'667'005);
    EXPECT_EQ(all.transform_reduce(7, 7, std::int64_t{5}, plus, square), 5);
    EXPECT_EQ(all.transform_reduce(7, 3, std::int64_t{5}, plus, square), 5);
    const auto larger = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
    const auto negative = [](std::int64_t i) { return -i; };
    EXPECT_EQ(all.transform_reduce(3, 900, std::int64_t{-1'000}, larger, negative), -3);
}

TEST(cluster_broadcast, gives_every_rank_the_value_of_one) {
    cluster& all = clusters::with_workers(1);
    const int last = all.size() - 1;
    const std::vector<std::string> mine{std::to_string(all.rank()), "text"};
    EXPECT_EQ(all.broadcast(mine, last), (std::vector<std::string>{std::to_string(last), "text"}));
    EXPECT_EQ(all.broadcast(all.rank()), 0);
    EXPECT_THROW(static_cast<void>(all.broadcast(1, all.size())), error);
    EXPECT_THROW(static_cast<void>(all.broadcast(1, -1)), error);
}

} // namespace
} // namespace weft
