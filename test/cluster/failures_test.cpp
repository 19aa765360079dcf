#include "problems.hpp"
#include "ranks.hpp"

#include <weft/cluster.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace weft {
namespace {

using test::clusters;

/// A random tree, some of whose tasks throw.
struct fragile_tree {
    using task = test::random_tree::task;
    using result = std::uint64_t;
    void work(task node, bag<task>& more, result& nodes) const {
        ++nodes;
        if (node.depth == depth) throw std::runtime_error{"too deep"};
        test::random_tree::visit_children(node, [&](task child) { more.add(child); });
    }
    std::uint32_t depth;
};

class cluster_failure : public testing::TestWithParam<balancing> {};

TEST_P(cluster_failure, of_a_task_arrives_on_every_rank_with_rank_and_text) {
    for (const std::size_t workers : {0U, 1U, 2U}) {
        cluster& all = clusters::with_workers(workers);
        try {
            static_cast<void>(all.run(fragile_tree{4}, {.number = 3}, {.balancing = GetParam()}));
            ADD_FAILURE() << "nothing was thrown";
        } catch (const cluster_error& wrong) {
            const std::string text = wrong.what();
            EXPECT_EQ(wrong.code(), errc::rank_failed);
            EXPECT_NE(text.find("rank " + std::to_string(wrong.rank()) + ": too deep"),
                      std::string::npos)
                << text;
            EXPECT_EQ(all.broadcast(wrong.rank()), wrong.rank());
            bool nested = false;
            try {
                std::rethrow_if_nested(wrong);
            } catch (const std::runtime_error& original) {
                nested = true;
                EXPECT_STREQ(original.what(), "too deep");
            }
            // Others may have failed at the same time.
            EXPECT_TRUE(nested || all.rank() != wrong.rank());
        }
        // The next run is not affected.
        EXPECT_EQ(all.run(test::queens{}, {.size = 6}, {.balancing = GetParam()}), 4U);
    }
}

INSTANTIATE_TEST_SUITE_P(every, cluster_failure,
                         testing::Values(balancing::plan, balancing::random, balancing::lifeline));

struct other_queens : test::queens {
    static constexpr std::string_view name = "other queens";
};

template <class Call>
errc code_of(Call call) {
    try {
        call();
    } catch (const error& wrong) {
        return wrong.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

TEST(cluster_mismatch, of_problems_is_refused_by_every_rank) {
    cluster& all = clusters::with_workers(1);
    if (all.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
    EXPECT_EQ(code_of([&] {
                  const test::queens::task board{.size = 6};
                  if (all.rank() == 0) static_cast<void>(all.run(other_queens{}, board));
                  else static_cast<void>(all.run(test::queens{}, board));
              }),
              errc::rank_mismatch);
    EXPECT_EQ(code_of([&] {
                  const auto policy = all.rank() == 0 ? balancing::plan : balancing::random;
                  static_cast<void>(all.run(test::queens{}, {.size = 6}, {.balancing = policy}));
              }),
              errc::rank_mismatch);
    EXPECT_EQ(all.run(test::queens{}, {.size = 6}), 4U);
}

/// A result that cannot be combined.
struct stubborn {
    using task = int;
    using result = int;
    void work(int /*task*/, bag<int>& /*more*/, result& sum) const { sum = 1; }
    static void combine(int& /*total*/, int /*part*/) {
        throw std::runtime_error{"it cannot be combined"};
    }
};

TEST(cluster_failure_of, combine_arrives_on_every_rank) {
    EXPECT_EQ(code_of([] { static_cast<void>(clusters::with_workers(1).run(stubborn{}, 1)); }),
              errc::rank_failed);
}

/// A tree that does send tasks, which cannot be written, or not be read by the rank that gets them.
template <class Refused>
struct stuck {
    struct task {
        int depth = 0;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(depth);
            if constexpr (std::is_same_v<Archive, Refused>) {
                throw std::runtime_error{"it cannot travel"};
            }
        }
    };
    using result = int;
    void work(task node, bag<task>& more, result& nodes) const {
        ++nodes;
        for (int i = 0; node.depth != 13 && i != 2; ++i) more.add({node.depth + 1});
        // So long that other ranks want tasks, and get them.
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{20};
        while (std::chrono::steady_clock::now() < end) {
        }
    }
};

TEST(cluster_failure_of, a_task_that_cannot_travel_stops_the_run) {
    for (const std::size_t workers : {0U, 1U}) {
        cluster& all = clusters::with_workers(workers);
        if (all.size() == 1) GTEST_SKIP() << "one rank sends no tasks";
        EXPECT_EQ(code_of([&] { static_cast<void>(all.run(stuck<detail::byte_reader>{}, {})); }),
                  errc::rank_failed);
        EXPECT_EQ(code_of([&] { static_cast<void>(all.run(stuck<detail::byte_writer>{}, {})); }),
                  errc::rank_failed);
    }
}

TEST(cluster_checkpoint, is_written_often_and_changes_nothing) {
    for (const std::size_t workers : {0U, 2U}) {
        cluster& all = clusters::with_workers(workers);
        const std::string file = "often." + std::to_string(all.broadcast(::getpid())) + ".weft";
        const test::random_tree::task root{.number = 5};
        int reports = 0;
        const cluster_run_options options{.checkpoint = file,
                                          .every = std::chrono::milliseconds{1},
                                          .progress =
                                              [&](const cluster_progress& now) {
                                                  ++reports;
                                                  EXPECT_EQ(now.tasks.size(),
                                                            static_cast<std::size_t>(all.size()));
                                              },
                                          .progress_every = std::chrono::milliseconds{1}};
        EXPECT_EQ(all.run(test::random_tree{}, root, options), test::random_tree::serial(root));
        EXPECT_FALSE(all.rank() == 0 && std::filesystem::exists(file));
    }
}

TEST(cluster_checkpoint, that_is_none_is_refused_by_every_rank) {
    cluster& all = clusters::with_workers(1);
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    EXPECT_EQ(code_of([&] {
                  static_cast<void>(all.run(test::queens{}, {.size = 6}, {.checkpoint = folder}));
              }),
              errc::checkpoint_failed);
}

} // namespace
} // namespace weft
