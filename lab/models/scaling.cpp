#include "models/scaling.hpp"

#include "models/concurrent_multi_stealing.hpp"
#include "models/run_groups.hpp"
#include <weft/lab/simulation.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace weft::models {

namespace {

constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

/// Runs one transition after the other.
void add_single_steps(multi_stealing<matrix_product>& model, std::uint64_t seed,
                      scaling_point& sums) {
    petri::simulation run{model.net(), seed};
    std::vector<run_step> steps;
    std::size_t leaves = 0;
    run.watch([&](const petri::simulation& now, const auto& fired) {
        const std::string& name = model.net().transitions()[fired.front().transition].name;
        run_step step{.fired = short_name_of(name), .leaves_before = leaves, .sizes = {}};
        leaves = now.view().one(model.leaves()).size();
        if (step.fired.front() == 'L') step.kind = step_kind::dividing;
        else if (step.fired != "MSS") step.kind = step_kind::multiplying;
        steps.push_back(std::move(step));
        return true;
    });
    run.run(to_the_end);
    sums.steps += static_cast<double>(steps.size());
    sums.groups += static_cast<double>(fewest_groups(steps).size());
}

/// Runs all together that can fire together.
void add_concurrent_steps(concurrent_multi_stealing& model, std::uint64_t seed,
                          scaling_point& sums) {
    petri::simulation run{model.net(), seed};
    const auto empty_lists = [&](const petri::simulation& now) {
        return std::ranges::count_if(
            model.lists(), [&](petri::place<concurrent_multi_stealing::thread_list> list) {
                return now.view().one(list).empty();
            });
    };
    double idle = 0;
    double dividing = 0;
    auto empty_before = empty_lists(run);
    run.watch([&](const petri::simulation& now, const auto& step) {
        const bool divides = std::ranges::any_of(step, [&](const auto& each) {
            return model.net().transitions()[each.transition].name.ends_with(".LTS");
        });
        if (divides) {
            idle += static_cast<double>(empty_before) / static_cast<double>(model.lists().size());
            dividing += 1;
        }
        empty_before = empty_lists(now);
        return true;
    });
    sums.concurrent_steps +=
        static_cast<double>(run.run(to_the_end, true, petri::step_rule::a_priori));
    sums.idle += idle / dividing; // the first step divides the root
}

} // namespace

scaling_point measure_scaling(const matrix_product& product, std::size_t cores,
                              std::size_t children, std::uint64_t runs) {
    matrix_product problem = product;
    problem.most_children = children;
    multi_stealing<matrix_product> single{problem, {.cores = cores}};
    concurrent_multi_stealing together{problem, cores};
    scaling_point mean{.cores = cores, .children = children};
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        add_single_steps(single, seed, mean);
        add_concurrent_steps(together, seed, mean);
    }
    for (double* each : {&mean.steps, &mean.groups, &mean.concurrent_steps, &mean.idle})
        *each /= static_cast<double>(runs);
    return mean;
}

} // namespace weft::models
