#include "sim/scheduler.hpp"

#include "sim/plot.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::sim {
namespace {

/// Small ones in every run, so that 4096 cores are simulated in seconds.
std::vector<load> loads() {
    if (test::scaled(0, 1) == 0) {
        return {{load_kind::balanced, 9},    {load_kind::varied, 8},  {load_kind::fibonacci, 13},
                {load_kind::one_queue, 600}, {load_kind::skewed, 20}, {load_kind::uts, 40}};
    }
    return {{load_kind::balanced, 15},      {load_kind::varied, 14},  {load_kind::fibonacci, 22},
            {load_kind::one_queue, 20'000}, {load_kind::skewed, 100}, {load_kind::uts, 500}};
}

std::vector<std::size_t> core_counts() {
#if WEFT_ADDRESS_SANITIZED
    return {1, 3, 64, 500}; // the sanitizer takes twenty times as long
#else
    if (test::scaled(0, 1) == 0) return {1, 2, 3, 8, 64, 1000, 4096};
#endif
    return {1, 2, 3, 4, 7, 8, 16, 32, 64, 128, 256, 512, 1000, 1024, 2048, 4096};
}

/// work / cores, rounded up.
time per_core(time work, std::size_t cores) { return (work + cores - 1) / cores; }

TEST(scheduler, no_schedule_beats_the_work_law_or_the_span_law_and_no_task_is_lost) {
    for (const load& workload : loads()) {
        for (const std::size_t cores : core_counts()) {
            const work_law law = measure(workload, cores);
            for (const policy stealing : all_policies()) {
                const metrics found = simulate(workload, cores, stealing, 7);
                EXPECT_GE(found.makespan, per_core(law.work, cores))
                    << workload.name() << ' ' << cores;
                EXPECT_GE(found.makespan, law.span) << workload.name() << ' ' << cores;
                EXPECT_EQ(found.tasks, law.tasks);
                EXPECT_LE(found.failures, found.attempts);
                EXPECT_LE(found.idle, found.makespan * cores);
                EXPECT_LE(found.latency_99, found.makespan);
            }
        }
    }
}

TEST(scheduler, a_greedy_schedule_keeps_the_bound_of_graham_and_brent) {
    for (const load& workload : loads()) {
        for (const std::size_t cores : core_counts()) {
            const work_law law = measure(workload, cores);
            const time greedy = greedy_makespan(workload, cores);
            EXPECT_LE(greedy, law.work / cores + law.span) << workload.name() << ' ' << cores;
            EXPECT_GE(greedy, per_core(law.work, cores));
            EXPECT_GE(greedy, law.span);
        }
    }
}

TEST(scheduler, a_seed_gives_the_same_simulation_again) {
    for (const policy stealing : all_policies()) {
        const load workload{load_kind::varied, 9};
        EXPECT_EQ(simulate(workload, 17, stealing, 3), simulate(workload, 17, stealing, 3))
            << name_of(stealing);
    }
    const load workload{load_kind::varied, 9};
    EXPECT_NE(simulate(workload, 17, policy::random, 3), simulate(workload, 17, policy::random, 4));
}

TEST(scheduler, on_one_core_all_policies_are_the_same) {
    for (const load& workload : loads()) {
        const metrics first = simulate(workload, 1, policy::random, 1);
        for (const policy stealing : all_policies())
            EXPECT_EQ(simulate(workload, 1, stealing, 1), first);
        EXPECT_EQ(first.idle, 0U);
        EXPECT_EQ(first.moved, 0U);
    }
}

TEST(scheduler, random_stealing_takes_work_per_core_and_a_steady_multiple_of_the_span) {
    const load workload{load_kind::balanced, 12};
    std::vector<double> multiples;
    for (const std::size_t cores : {8U, 16U, 32U, 64U, 128U}) {
        const work_law law = measure(workload, cores);
        double extra = 0;
        double attempts = 0;
        constexpr int seeds = 5;
        for (int seed = 0; seed != seeds; ++seed) {
            const metrics found =
                simulate(workload, cores, policy::random, static_cast<std::uint64_t>(seed));
            // Pops and pushes are work as well.
            const time work = law.work + law.tasks * 20;
            extra += static_cast<double>(found.makespan) -
                     static_cast<double>(work) / static_cast<double>(cores);
            attempts += static_cast<double>(found.attempts);
        }
        multiples.push_back(extra / seeds / static_cast<double>(law.span));
        const double tries_per_span =
            static_cast<double>(law.span) / static_cast<double>(costs{}.failed_try);
        EXPECT_LT(attempts / seeds, 20.0 * static_cast<double>(cores) * tries_per_span) << cores;
    }
    const auto [least, most] = std::ranges::minmax(multiples);
    EXPECT_GT(least, 0.0);
    EXPECT_LT(most, 8.0);
}

TEST(scheduler, multi_stealing_wins_where_many_tasks_are_in_one_queue) {
    const load workload{load_kind::one_queue, 8'000};
    const auto makespan = [&](policy stealing) {
        return simulate(workload, 64, stealing, 1).makespan;
    };
    EXPECT_LT(makespan(policy::mss) * 3, makespan(policy::random));
    EXPECT_LT(makespan(policy::multi) * 3, makespan(policy::random));
    EXPECT_LT(makespan(policy::mss), makespan(policy::single));
}

TEST(scheduler, multi_stealing_is_as_good_as_random_stealing_where_that_is_good) {
    const load workload{load_kind::balanced, 12};
    for (const std::size_t cores : {4U, 64U, 512U}) {
        const auto makespan = [&](policy stealing) {
            return static_cast<double>(simulate(workload, cores, stealing, 1).makespan);
        };
        EXPECT_LT(makespan(policy::multi), 1.1 * makespan(policy::random)) << cores;
    }
}

TEST(scheduler, standing_still_for_a_plan_costs) {
    const load workload{load_kind::uts, 100};
    EXPECT_GT(simulate(workload, 64, policy::frozen, 1).makespan,
              simulate(workload, 64, policy::mss, 1).makespan);
}

TEST(scheduler, what_costs_nothing_is_as_good_as_greedy) {
    const load workload{load_kind::one_queue, 1'000};
    const work_law law = measure(workload, 8);
    EXPECT_LE(simulate(workload, 8, policy::mss, 1, costs::none()).makespan,
              law.work / 8 + law.span);
}

TEST(scheduler, wrong_names_are_errors) {
    EXPECT_THROW(static_cast<void>(read_policy("rand")), std::invalid_argument);
    for (const policy each : all_policies()) EXPECT_EQ(read_policy(name_of(each)), each);
    EXPECT_THROW(static_cast<void>(read_load("tree:3")), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(read_load("balanced")), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(read_load("balanced:99")), std::invalid_argument);
    EXPECT_EQ(read_load("one-queue:12").name(), "one-queue:12");
    EXPECT_THROW(static_cast<void>(simulate({load_kind::balanced, 3}, 0, policy::multi, 1)),
                 std::invalid_argument);
}

TEST(plot, has_a_line_for_each_policy_and_json_every_figure) {
    std::vector<result> all;
    const load workload{load_kind::balanced, 6};
    for (const policy stealing : {policy::random, policy::mss}) {
        for (const std::size_t cores : {1U, 4U}) {
            all.push_back({workload.name(), stealing, cores, 1, measure(workload, cores),
                           simulate(workload, cores, stealing, 1)});
        }
    }
    const std::string picture = svg_of(all);
    EXPECT_EQ(picture.find("<svg"), 0U);
    EXPECT_NE(picture.find(">mss</text>"), std::string::npos);
    EXPECT_NE(picture.find(">random</text>"), std::string::npos);
    const std::string figures = json_of(all);
    EXPECT_NE(figures.find("\"latency_99_ns\": "), std::string::npos);
    EXPECT_GE(all.front().ratio(), 1.0);
}

} // namespace
} // namespace weft::sim
