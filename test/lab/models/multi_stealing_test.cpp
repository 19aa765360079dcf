#include "models/multi_stealing.hpp"

#include "models/concurrent_multi_stealing.hpp"
#include "models/run_groups.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"
#include <weft/lab/analysis.hpp>
#include <weft/lab/runs.hpp>
#include <weft/lab/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::models {
namespace {

using petri::bounds;
using petri::report;
using petri::simulation;
using petri::state_space;

petri::trace paper_trace() {
    petri::trace all;
    for (const paper_step& each : paper_steps())
        all.steps.push_back({{transition_of(each.fired), ""}});
    return all;
}

std::vector<std::uint32_t> ids(const std::vector<normal_thread>& list) {
    std::vector<std::uint32_t> found;
    for (const normal_thread& each : list) found.push_back(each.id);
    return found;
}

std::vector<std::vector<int>> balanced(std::vector<std::vector<int>> lists) {
    std::size_t total = 0;
    for (const auto& each : lists) total += each.size();
    multi_steal(lists, balance::quota_of(total, lists.size()));
    return lists;
}

TEST(multi_stealing, moves_the_threads_that_the_paper_moves) {
    using lists = std::vector<std::vector<int>>;
    EXPECT_EQ(balanced({{4, 5, 6, 7}, {}, {}}), (lists{{6, 7}, {4}, {5}}));
    EXPECT_EQ(balanced({{25, 26, 27, 7}, {}, {42, 43, 22, 23}}),
              (lists{{26, 27, 7}, {25, 42, 43}, {22, 23}}));
}

TEST(multi_stealing, of_lists_has_the_sizes_of_the_plan) {
    for (std::size_t code = 0; code != 5 * 5 * 5 * 5; ++code) {
        std::vector<std::size_t> sizes{code % 5, code / 5 % 5, code / 25 % 5, code / 125};
        std::vector<std::vector<int>> lists;
        for (const std::size_t each : sizes) lists.emplace_back(each, 1);
        balance::multi_steal(sizes);
        const auto after = balanced(lists);
        for (std::size_t each = 0; each != sizes.size(); ++each)
            EXPECT_EQ(after[each].size(), sizes[each]);
    }
}

TEST(multi_stealing, replays_every_step_of_table_2a_and_ends_with_table_1) {
    multi_stealing<matrix_product> model{paper_product()};
    simulation run{model.net()};
    std::size_t number = 0;
    for (const paper_step& each : paper_steps()) {
        ++number;
        std::set<std::string> enabled;
        for (const auto& element : run.enabled()) {
            enabled.insert(short_name_of(model.net().transitions()[element.transition].name));
        }
        EXPECT_TRUE(enabled.contains(std::string{each.fired})) << number;
        EXPECT_EQ(enabled.contains("MSS"), enabled == std::set<std::string>{"MSS"}) << number;
        run.fire(transition_of(each.fired));
        list_sizes sizes;
        for (const auto list : model.lists()) sizes.push_back(run.view().one(list).size());
        EXPECT_EQ(sizes, list_sizes(each.sizes.begin(), each.sizes.end())) << number;
        EXPECT_EQ(run.view().one(model.sizes()), sizes) << number;
        EXPECT_EQ(run.view().one(model.leaves()).size(), each.leaves) << number;
    }
    EXPECT_EQ(number, 69U);
    EXPECT_TRUE(run.enabled().empty());
    EXPECT_EQ(run.view().one(model.solution()), paper_result());
}

TEST(multi_stealing, step_23_of_table_2a_moves_the_threads_that_it_should) {
    multi_stealing<matrix_product> model{paper_product()};
    simulation run{model.net()};
    petri::trace first = paper_trace();
    first.steps.resize(22);
    run.replay(first);
    using numbers = std::vector<std::uint32_t>;
    EXPECT_EQ(ids(run.view().one(model.lists()[0])), (numbers{25, 26, 27, 7}));
    EXPECT_EQ(ids(run.view().one(model.lists()[2])), (numbers{42, 43, 22, 23}));
    run.fire("MSS");
    EXPECT_EQ(ids(run.view().one(model.lists()[0])), (numbers{26, 27, 7}));
    EXPECT_EQ(ids(run.view().one(model.lists()[1])), (numbers{25, 42, 43}));
    EXPECT_EQ(ids(run.view().one(model.lists()[2])), (numbers{22, 23}));
}

TEST(multi_stealing, table_2b_is_a_fewest_cut_of_table_2a) {
    multi_stealing<matrix_product> model{paper_product()};
    const auto steps = steps_of(model, paper_trace());
    EXPECT_EQ(count_kinds(steps), (std::array<std::size_t, 4>{8, 13, 24, 24}));
    std::size_t next = 1;
    for (const paper_group& each : paper_groups()) {
        EXPECT_EQ(each.first, next);
        EXPECT_TRUE(
            may_be_group(std::span{steps}.subspan(each.first - 1, each.last - each.first + 1)));
        next = each.last + 1;
    }
    EXPECT_EQ(next, 70U);
    EXPECT_EQ(paper_groups().size(), 36U);
    EXPECT_EQ(fewest_groups(steps).size(), 36U);
    EXPECT_EQ(longest_groups(steps).size(), 36U);
}

/// In how many of all orders the steps of a group may be fired one by one.
std::pair<std::size_t, std::size_t> orders_that_work(const paper_group& group) {
    multi_stealing<matrix_product> model{paper_product()};
    petri::trace before = paper_trace();
    std::vector<std::string> members;
    for (std::size_t each = group.first; each <= group.last; ++each) {
        members.push_back(before.steps[each - 1].front().transition);
    }
    before.steps.resize(group.first - 1);
    std::ranges::sort(members);
    std::size_t tried = 0;
    std::size_t worked = 0;
    do {
        simulation run{model.net()};
        run.replay(before);
        ++tried;
        try {
            for (const std::string& each : members) run.fire(each);
            ++worked;
        } catch (const petri::error&) {
            // A guard has locked.
        }
    } while (std::ranges::next_permutation(members).found);
    return {worked, tried};
}

TEST(multi_stealing, in_any_sequence_is_too_much_said_of_line_25) {
    using orders = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(orders_that_work(paper_groups()[24]), (orders{48, 120}));
    EXPECT_EQ(orders_that_work(paper_groups()[6]), (orders{24, 24}));
}

TEST(multi_stealing, nothing_is_concurrent_while_the_guards_share_a_token) {
    multi_stealing<matrix_product> model{paper_product()};
    simulation run{model.net(), 4};
    while (run.concurrent_step(petri::step_rule::strict))
        EXPECT_EQ(run.taken().steps.back().size(), 1U);
    EXPECT_EQ(run.view().one(model.solution()), paper_result());
}

TEST(concurrent_multi_stealing, every_line_of_table_2b_is_one_step) {
    concurrent_multi_stealing model{paper_product()};
    simulation run{model.net()};
    for (const paper_group& group : paper_groups()) {
        std::vector<petri::binding_element> step;
        std::set<petri::colour_id> used;
        for (std::size_t number = group.first; number <= group.last; ++number) {
            const auto transition =
                model.net().transition_named(transition_of(paper_steps()[number - 1].fired));
            std::optional<petri::binding_element> chosen;
            for (const auto& each : run.enabled()) {
                const bool multiplies = !each.values.empty() &&
                                        paper_steps()[number - 1].fired[0] == 'M' &&
                                        paper_steps()[number - 1].fired != "MSS";
                if (each.transition != transition || chosen) continue;
                if (multiplies && used.contains(each.values.back())) continue;
                if (multiplies) used.insert(each.values.back());
                chosen = each;
            }
            ASSERT_TRUE(chosen) << number;
            step.push_back(*chosen);
        }
        run.fire(step, petri::step_rule::a_priori);
        const paper_step& wanted = paper_steps()[group.last - 1];
        for (std::size_t core = 0; core != 3; ++core) {
            EXPECT_EQ(run.view().one(model.lists()[core]).size(), wanted.sizes[core]);
        }
        EXPECT_EQ(run.view().count(model.leaves()), wanted.leaves);
    }
    EXPECT_EQ(run.steps(), 36U);
    EXPECT_EQ(run.view().count(model.cells()), 24U);
    for (const auto& [row, column, value] : run.view().tokens(model.cells())) {
        EXPECT_EQ(value, paper_result()[static_cast<std::size_t>(row) - 1]
                                       [static_cast<std::size_t>(column) - 1]);
    }
}

TEST(concurrent_multi_stealing, runs_in_steps_of_many) {
    concurrent_multi_stealing model{paper_product()};
    for (const auto rule : {petri::step_rule::a_priori, petri::step_rule::strict}) {
        simulation run{model.net(), 9};
        std::size_t widest = 0;
        while (run.concurrent_step(rule))
            widest = std::max(widest, run.taken().steps.back().size());
        EXPECT_EQ(run.view().count(model.cells()), 24U);
        EXPECT_GE(widest, rule == petri::step_rule::strict ? 2U : 4U);
    }
}

/// §6 of the paper: a transition "cannot execute the same transition twice at the same time", and
/// MSS is executed individually.
TEST(concurrent_multi_stealing, no_transition_fires_twice_in_a_step) {
    concurrent_multi_stealing model{paper_product()};
    for (const auto rule : {petri::step_rule::a_priori, petri::step_rule::strict}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            simulation run{model.net(), seed};
            while (run.concurrent_step(rule)) {
                std::set<std::string> fired;
                const auto step = run.taken().steps.back();
                for (const auto& each : step) {
                    EXPECT_TRUE(fired.insert(each.transition).second)
                        << each.transition << " twice in step " << run.steps() << ", seed " << seed;
                }
                EXPECT_TRUE(!fired.contains("MSS") || step.size() == 1);
            }
            EXPECT_EQ(run.view().count(model.cells()), 24U);
        }
    }
}

TEST(concurrent_multi_stealing, a_multiplier_cannot_be_asked_to_fire_twice_in_a_step) {
    concurrent_multi_stealing model{paper_product()};
    simulation run{model.net()};
    const auto multiplier = model.net().transition_named("Core1.Multiplier");
    std::vector<petri::binding_element> twice;
    while (twice.size() != 2) { // until there are two leaves for it
        ASSERT_TRUE(run.step());
        twice.clear();
        for (const auto& each : run.enabled()) {
            if (each.transition == multiplier && twice.size() != 2) twice.push_back(each);
        }
    }
    try {
        run.fire(twice, petri::step_rule::a_priori);
        ADD_FAILURE() << "it fired twice";
    } catch (const petri::error& wrong) {
        EXPECT_EQ(wrong.code(), petri::fault::not_enabled);
        EXPECT_NE(std::string{wrong.what()}.find("finds no token in 'Core1.Free'"),
                  std::string::npos)
            << wrong.what();
    }
}

struct oracle {
    std::uint64_t markings;
    std::uint64_t arcs;
    bounds balancings;
    std::optional<std::uint64_t> runs;
};

template <class Problem>
void expect_space(const Problem& problem, std::size_t cores, const oracle& wanted) {
    multi_stealing<Problem> model{problem, {.cores = cores}};
    const state_space all = explore(model.net());
    ASSERT_TRUE(all.complete()) << all.reason();
    EXPECT_EQ(all.markings(), wanted.markings);
    EXPECT_EQ(all.arcs(), wanted.arcs);
    const report result = analyse(all);
    EXPECT_TRUE(result.acyclic);
    EXPECT_TRUE(result.dead_transitions.empty());
    ASSERT_EQ(result.dead_markings.size(), 1U);
    EXPECT_EQ(result.home_markings, 1U);
    EXPECT_EQ(result.some_home, result.dead_markings);
    const petri::marking last = all.marking_at(result.dead_markings.front());
    const petri::marking_view end{model.net(), last};
    EXPECT_TRUE(end.one(model.leaves()).empty());
    EXPECT_EQ(end.one(model.sizes()), list_sizes(cores, 0));
    const auto found = runs_of(
        all, [&](petri::transition_index each) { return each == model.balancing() ? 1 : 0; });
    EXPECT_EQ(found.weight, wanted.balancings);
    EXPECT_TRUE(!wanted.runs || found.count == wanted.runs);
}

TEST(multi_stealing, small_state_spaces_are_exact) {
    expect_space(matrix_shapes{2, 2}, 2, {42, 92, {1, 2}, 7'488});
    expect_space(matrix_product::of_sizes(2, 2, 2), 2, {90, 214, {1, 2}, 7'488});
    expect_space(matrix_shapes{2, 2}, 3, {65, 174, {2, 3}, 92'664});
    expect_space(matrix_product::of_sizes(2, 2, 2), 3, {229, 762, {2, 3}, 92'664});
    expect_space(matrix_shapes{3, 3}, 2, {305, 895, {1, 6}, 103'503'860'736});
    expect_space(matrix_product::of_sizes(3, 3, 3), 2, {5'230, 15'143, {1, 6}, 103'503'860'736});
    expect_space(matrix_shapes{3, 4}, 2, {646, 1'991, {1, 6}, 85'257'420'480'512});
    expect_space(matrix_shapes{3, 4}, 3, {2'021, 7'344, {1, 9}, 2'063'124'914'510'408'706});
    expect_space(matrix_shapes{4, 6}, 2, {6'713, 23'532, {1, 7}, {}});
}

TEST(multi_stealing, the_state_space_of_3x4x4_on_2_cores_is_exact) {
    expect_space(matrix_product::of_sizes(3, 4, 4), 2,
                 {32'728, 92'104, {1, 6}, 85'257'420'480'512});
}

TEST(multi_stealing, the_state_space_of_3x4x4_on_3_cores_is_exact) {
#if WEFT_ADDRESS_SANITIZED
    GTEST_SKIP() << "takes long under the sanitizer";
#endif
    if (test::scaled(0, 1) == 0) GTEST_SKIP() << "3.4 million markings: in full runs only";
    expect_space(matrix_product::of_sizes(3, 4, 4), 3,
                 {3'382'256, 13'053'040, {1, 9}, 2'063'124'914'510'408'706});
}

TEST(multi_stealing, the_shapes_of_the_papers_net_have_its_bounds) {
#if WEFT_ADDRESS_SANITIZED
    GTEST_SKIP() << "takes long under the sanitizer";
#endif
    multi_stealing<matrix_shapes> model{matrix_shapes{4, 6}};
    const state_space all = explore(model.net());
    EXPECT_EQ(all.markings(), 55'153U);
    EXPECT_EQ(all.arcs(), 253'054U);
    const std::size_t most[] = {5, 4, 4};
    for (std::size_t core = 0; core != 3; ++core) {
        const auto found = bounds_of(all, [&](const petri::marking_view& now) {
            return now.one(model.lists()[core]).size();
        });
        EXPECT_EQ(found.most, most[core]);
    }
    const auto leaves = bounds_of(
        all, [&](const petri::marking_view& now) { return now.one(model.leaves()).size(); });
    EXPECT_EQ(leaves, (bounds{0, 24}));
    EXPECT_EQ(runs_of(all, [](petri::transition_index) { return 1; }).weight, (bounds{62, 77}));
    EXPECT_EQ(
        runs_of(all, [&](petri::transition_index t) { return t == model.balancing() ? 1 : 0; })
            .weight,
        (bounds{1, 16}));
}

TEST(multi_stealing, its_invariants_hold_everywhere) {
    multi_stealing<matrix_product> model{matrix_product::of_sizes(3, 3, 3), {.cores = 2}};
    petri::space_options options;
    options.properties.push_back({"the guards see the sizes", [&](const petri::marking_view& now) {
                                      list_sizes sizes;
                                      for (const auto list : model.lists())
                                          sizes.push_back(now.one(list).size());
                                      return sizes == now.one(model.sizes());
                                  }});
    options.properties.push_back(
        {"no cell is lost", [&](const petri::marking_view& now) {
             std::size_t cells = now.one(model.leaves()).size();
             for (const auto list : model.lists()) {
                 for (const normal_thread& t : now.one(list)) {
                     cells += static_cast<std::size_t>((t.last_row - t.first_row + 1) *
                                                       (t.last_column - t.first_column + 1));
                 }
             }
             for (const auto& row : now.one(model.solution())) {
                 cells += row.size() - static_cast<std::size_t>(std::ranges::count(row, 0));
             }
             return cells == 9;
         }});
    const state_space all = explore(model.net(), options);
    EXPECT_TRUE(all.complete()) << all.reason();
}

TEST(multi_stealing, the_third_status_read_literally_deadlocks) {
    multi_stealing<matrix_shapes> model{matrix_shapes{2, 2},
                                        {.cores = 2, .literal_third_status = true}};
    const state_space all = explore(model.net());
    EXPECT_EQ(all.markings(), 41U);
    EXPECT_EQ(all.arcs(), 84U);
    const report result = analyse(all);
    EXPECT_EQ(result.dead_markings.size(), 4U);
    for (const std::uint32_t each : result.dead_markings) {
        const petri::marking dead = all.marking_at(each);
        EXPECT_FALSE(petri::marking_view(model.net(), dead).one(model.leaves()).empty());
    }
}

TEST(multi_stealing, the_remainder_read_literally_balances_for_ever) {
    multi_stealing<matrix_shapes> model{matrix_shapes{1, 2}, {.cores = 3, .literal_extra = true}};
    const state_space all = explore(model.net());
    bool loops = false;
    for (std::uint32_t each = 0; each != all.markings(); ++each) {
        const auto targets = all.targets(each);
        for (std::size_t arc = 0; arc != targets.size(); ++arc) {
            if (targets[arc] == each && all.transitions(each)[arc] == model.balancing())
                loops = true;
        }
    }
    EXPECT_TRUE(loops);
    EXPECT_FALSE(analyse(all).acyclic);
}

TEST(multi_stealing, random_runs_are_as_long_as_the_reference_says) {
    multi_stealing<matrix_shapes> model{matrix_shapes{4, 6}};
    const std::size_t runs = test::scaled(60, 2000);
    double steps = 0;
    double groups = 0;
    for (std::size_t seed = 0; seed != runs; ++seed) {
        simulation run{model.net(), seed};
        run.run(1000);
        steps += static_cast<double>(run.steps());
        petri::trace names = run.taken();
        for (auto& line : names.steps) line.front().values.clear();
        const auto cut = fewest_groups(steps_of(model, names));
        EXPECT_GE(cut.size(), 20U);
        EXPECT_LE(cut.size(), 46U);
        groups += static_cast<double>(cut.size());
    }
    EXPECT_NEAR(steps / static_cast<double>(runs), 66.4, 0.8);
    EXPECT_NEAR(groups / static_cast<double>(runs), 33.0, 2.0);
}

template <class Problem>
typename Problem::result solved(const Problem& problem, std::size_t cores, std::uint64_t seed) {
    multi_stealing<Problem> model{problem, {.cores = cores}};
    simulation run{model.net(), seed};
    run.run(1'000'000);
    EXPECT_TRUE(run.enabled().empty());
    return run.view().one(model.solution());
}

TEST(multi_stealing, serves_any_divide_and_conquer) {
    for (const std::size_t cores : {1U, 2U, 5U}) {
        EXPECT_EQ(solved(fibonacci{12}, cores, 1), 144);
        EXPECT_EQ(solved(binary_search{{1, 3, 3, 3, 5, 7, 9}, 3}, cores, 2),
                  (std::vector<std::int32_t>{1, 2, 3}));
        EXPECT_TRUE(solved(binary_search{{1, 3, 5, 7}, 4}, cores, 3).empty());
        const auto moves = solved(hanoi{5}, cores, 4);
        ASSERT_EQ(moves.size(), 31U);
        std::vector<std::vector<int>> pegs{{}, {5, 4, 3, 2, 1}, {}, {}};
        for (const hanoi::leaf& each : moves) {
            auto& source = pegs[static_cast<std::size_t>(each.source)];
            auto& target = pegs[static_cast<std::size_t>(each.target)];
            ASSERT_FALSE(source.empty());
            ASSERT_TRUE(target.empty() || target.back() > source.back());
            target.push_back(source.back());
            source.pop_back();
        }
        EXPECT_EQ(pegs[3].size(), 5U);
    }
}

std::size_t divisions_with(std::size_t most_children) {
    matrix_product problem = matrix_product::of_sizes(8, 3, 8);
    problem.most_children = most_children;
    multi_stealing<matrix_product> model{problem, {.cores = 4}};
    simulation run{model.net(), 1};
    std::size_t divisions = 0;
    run.watch([&](const simulation&, const auto& step) {
        divisions +=
            model.net().transitions()[step.front().transition].name.ends_with(".LTS") ? 1 : 0;
        return true;
    });
    run.run(10'000);
    EXPECT_TRUE(run.enabled().empty());
    return divisions;
}

TEST(multi_stealing, more_children_at_a_step_make_fewer_divisions) {
    EXPECT_EQ(divisions_with(2), 127U);
    EXPECT_EQ(divisions_with(4), 64U + 36U + 9U);
    EXPECT_EQ(divisions_with(8), 1U + 8U + 64U);
    EXPECT_EQ(divisions_with(16), 1U + 16U + 64U);
}

} // namespace
} // namespace weft::models
