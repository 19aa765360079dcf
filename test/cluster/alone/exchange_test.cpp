#include "alone/delayed_network.hpp"
#include "cluster/exchange.hpp"
#include "problems.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"

#include <weft/detail/cluster/problem_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace weft {
namespace {

using detail::verdict;
using test::random_tree;

/// A worker that returns after some tasks.
class brief_guide final : public detail::worker_guide {
public:
    explicit brief_guide(unsigned tasks) : tasks_{tasks} {}
    [[nodiscard]] advice between_tasks(std::size_t /*seat*/) noexcept override {
        return {.tasks = 1, .ends = --tasks_ == 0};
    }
    void notify() noexcept override {}

private:
    unsigned tasks_;
};

/// The ranks of a run, stepped one after another in random order: the code that ships, with
/// messages that are late.
template <class Problem>
class delayed_ranks {
public:
    delayed_ranks(const Problem& problem, std::size_t size, balancing policy, std::uint64_t seed)
        : network_{static_cast<int>(size), seed} {
        for (std::size_t rank = 0; rank != size; ++rank) {
            stores_.push_back(std::make_unique<detail::problem_store<Problem>>(problem, 1));
            exchanges_.push_back(std::make_unique<detail::exchange>(network_.of_rank(rank),
                                                                    *stores_.back(), policy));
        }
    }

    detail::problem_store<Problem>& store(std::size_t rank) { return *stores_[rank]; }
    detail::exchange& exchange(std::size_t rank) { return *exchanges_[rank]; }
    test::delayed_network& network() { return network_; }

    /// Until all ranks have a verdict, which is returned if it is the same, or this number of
    /// steps.
    verdict run(std::uint64_t most_steps = 3'000'000) {
        for (std::uint64_t step = 0; step != most_steps; ++step) {
            network_.pass_time();
            const std::size_t rank = network_.random()() % exchanges_.size();
            if (exchanges_[rank]->outcome() == verdict::go_on) {
                brief_guide guide{static_cast<unsigned>(1 + network_.random()() % 8)};
                static_cast<void>(stores_[rank]->run_some(guide));
                exchanges_[rank]->step(detail::task_store::no_seat);
            } else if (all_agree()) {
                return exchanges_[0]->outcome();
            }
        }
        ADD_FAILURE() << "no verdict";
        return verdict::go_on;
    }

    typename Problem::result combine(const Problem& problem) {
        typename Problem::result total{};
        for (auto& each : stores_) {
            detail::combine_results(problem, total, each->take_result());
        }
        return total;
    }

private:
    bool all_agree() const {
        return std::all_of(exchanges_.begin(), exchanges_.end(), [this](const auto& each) {
            return each->outcome() == exchanges_[0]->outcome();
        });
    }

    test::delayed_network network_;
    std::vector<std::unique_ptr<detail::problem_store<Problem>>> stores_;
    std::vector<std::unique_ptr<detail::exchange>> exchanges_;
};

class delayed_messages : public testing::TestWithParam<std::tuple<balancing, std::size_t>> {};

TEST_P(delayed_messages, lose_no_task_and_end_no_run_early) {
    const auto [policy, size] = GetParam();
    const auto seeds = static_cast<std::uint64_t>(test::scaled(WEFT_SANITIZED ? 4 : 40, 2'000));
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const random_tree problem;
        const random_tree::task root{.number = seed * 100 + size};
        delayed_ranks<random_tree> ranks{problem, size, policy, seed};
        ranks.store(0).add_root(root);
        ASSERT_EQ(ranks.run(), verdict::finish) << "seed " << seed;
        ASSERT_EQ(ranks.network().count_underway(detail::message_kind::tasks), 0U);
        ASSERT_EQ(ranks.combine(problem), random_tree::serial(root)) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(every, delayed_messages,
                         testing::Combine(testing::Values(balancing::plan, balancing::random,
                                                          balancing::lifeline),
                                          testing::Values(1U, 2U, 5U, 40U)));

TEST(delayed_messages_alone, of_a_busy_cluster_without_wishes_are_none) {
    struct endless {
        using task = int;
        using result = int;
        void work(int next, bag<int>& more, result& /*none*/) const { more.add(next); }
    };
    const endless problem;
    delayed_ranks<endless> ranks{problem, 4, balancing::plan, 1};
    for (std::size_t rank = 0; rank != 4; ++rank) ranks.store(rank).add_root(0);
    for (int i = 0; i != 1'000; ++i) {
        for (std::size_t rank = 0; rank != 4; ++rank) {
            ranks.network().pass_time();
            brief_guide guide{3};
            static_cast<void>(ranks.store(rank).run_some(guide));
            ranks.exchange(rank).step(detail::task_store::no_seat);
        }
    }
    EXPECT_EQ(ranks.network().sent(), 0U);
}

/// Fails at one node.
struct failing_tree {
    using task = random_tree::task;
    using result = random_tree::result;
    void work(task node, bag<task>& more, result& seen) const {
        if (node.depth == 5) throw std::runtime_error{"here"};
        random_tree{}.work(node, more, seen);
    }
    static void combine(result& total, const result& part) { random_tree::combine(total, part); }
};

TEST(delayed_messages_alone, tell_all_ranks_of_a_failure) {
    for (std::uint64_t seed = 1; seed != 20; ++seed) {
        const failing_tree problem;
        delayed_ranks<failing_tree> ranks{problem, 7, balancing::plan, seed};
        ranks.store(0).add_root({.number = 3});
        ASSERT_EQ(ranks.run(), verdict::stop) << "seed " << seed;
        const int failed = ranks.exchange(0).failed();
        for (std::size_t rank = 0; rank != 7; ++rank) {
            EXPECT_EQ(ranks.exchange(rank).failed(), failed);
        }
        EXPECT_TRUE(ranks.store(static_cast<std::size_t>(failed)).has_failed());
    }
}

TEST(delayed_messages_alone, interrupt_a_run_for_a_pause_and_no_task_is_lost) {
    for (std::uint64_t seed = 1; seed != 20; ++seed) {
        const random_tree problem;
        const random_tree::task root{.number = seed};
        delayed_ranks<random_tree> ranks{problem, 5, balancing::plan, seed};
        ranks.store(0).add_root(root);
        for (int pauses = 0;; ++pauses) {
            if (pauses != 5) ranks.exchange(0).force_round(verdict::pause);
            const verdict outcome = ranks.run();
            if (outcome == verdict::finish) break;
            ASSERT_EQ(outcome, verdict::pause);
            for (std::size_t rank = 0; rank != 5; ++rank) {
                ASSERT_TRUE(ranks.store(rank).try_pause());
                detail::message arrived;
                for (int i = 0; i != 3'000; ++i) {
                    ranks.network().pass_time();
                    if (ranks.network().of_rank(rank).receive(arrived)) {
                        ranks.exchange(rank).drain(arrived);
                    }
                }
            }
            ASSERT_EQ(ranks.network().count_underway(detail::message_kind::tasks), 0U);
            for (std::size_t rank = 0; rank != 5; ++rank) {
                ranks.store(rank).resume();
                ranks.exchange(rank).go_on();
            }
        }
        ASSERT_EQ(ranks.combine(problem), random_tree::serial(root)) << "seed " << seed;
    }
}

} // namespace
} // namespace weft
