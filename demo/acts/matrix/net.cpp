// The paper's run on its model, a coloured Petri net that multiplies matrices on three cores; and
// simulated speedups on more cores than this machine has.
#include "acts/matrix/acts.hpp"
#include "acts/timing.hpp"

#include "models/multi_stealing.hpp"
#include "models/paper_run.hpp"
#include "models/run_groups.hpp"
#include "sim/load.hpp"
#include "sim/scheduler.hpp"
#include <weft/lab/simulation.hpp>

#include <string>

namespace weft::demo::matrix {
namespace {

petri::trace paper_trace() {
    petri::trace all;
    for (const auto& each : models::paper_steps()) {
        all.steps.push_back({{models::transition_of(each.fired), ""}});
    }
    return all;
}

/// The speedup over one core, for each policy.
std::vector<series> simulated_speedups(const settings& settings) {
    const sim::load load{sim::load_kind::one_queue, settings.choose(16'384U, 1'024U)};
    std::vector<series> curves;
    for (const sim::policy policy :
         {sim::policy::random, sim::policy::half, sim::policy::mss, sim::policy::multi}) {
        series curve{std::string{sim::name_of(policy)}, {}};
        double one_core = 0;
        for (std::size_t cores = 1; cores <= 256; cores *= 2) {
            const auto took = static_cast<double>(sim::simulate(load, cores, policy, 1).makespan);
            if (cores == 1) one_core = took;
            curve.points.emplace_back(static_cast<double>(cores), one_core / took);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

} // namespace

outcome as_net(const settings& settings) {
    models::multi_stealing<models::matrix_product> model{models::paper_product()};
    petri::simulation run{model.net()};
    run.replay(paper_trace());
    const bool right = run.view().one(model.solution()) == models::paper_result();
    const auto steps = models::steps_of(model, paper_trace());
    bool as_printed = steps.size() == models::paper_steps().size();
    for (std::size_t each = 0; as_printed && each != steps.size(); ++each) {
        const models::paper_step& printed = models::paper_steps()[each];
        as_printed = std::ranges::equal(steps[each].sizes, printed.sizes) &&
                     steps[each].leaves == printed.leaves;
    }
    return {{{"steps", static_cast<double>(steps.size()), ""},
             {"groups", static_cast<double>(models::fewest_groups(steps).size()), ""}},
            {{"the net's product is the paper's", right},
             {"each step has the sizes of Table 2-A", as_printed}},
            simulated_speedups(settings)};
}

} // namespace weft::demo::matrix
