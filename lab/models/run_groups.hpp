// A run of the multi-stealing model, divided into groups of concurrent steps.
#pragma once

#include "models/multi_stealing.hpp"
#include "models/paper_run.hpp"
#include <weft/lab/simulation.hpp>
#include <weft/lab/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::models {

/// The four kinds of steps that the paper counts.
enum class step_kind : std::uint8_t { balancing, dividing, making_leaves, multiplying };

struct run_step {
    std::string fired; // as in `paper_step`
    step_kind kind = step_kind::balancing;
    std::size_t leaves_before = 0;
    list_sizes sizes;       // after it
    std::size_t leaves = 0; // after it
};

/// The steps of a trace, found by replaying it. An error names the step that is not enabled.
template <class Problem>
[[nodiscard]] std::vector<run_step> steps_of(multi_stealing<Problem>& model,
                                             const petri::trace& recorded) {
    petri::simulation run{model.net()};
    std::vector<run_step> steps;
    for (const auto& line : recorded.steps) {
        const std::size_t before = run.view().one(model.leaves()).size();
        run.replay({{line}});
        run_step step{.fired = short_name_of(line.front().transition),
                      .leaves_before = before,
                      .sizes = run.view().one(model.sizes()),
                      .leaves = run.view().one(model.leaves()).size()};
        if (step.fired.front() == 'L') {
            step.kind = step.leaves > before ? step_kind::making_leaves : step_kind::dividing;
        } else if (step.fired != "MSS") {
            step.kind = step_kind::multiplying;
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

/// The number of steps of each kind, in the order of `step_kind`.
[[nodiscard]] std::array<std::size_t, 4> count_kinds(std::span<const run_step> steps);

/// Whether consecutive steps may be one group: MSS is alone, no transition fires twice, and there
/// are no more multiplications than leaves before the group.
[[nodiscard]] bool may_be_group(std::span<const run_step> steps);

/// Greedy: each group is as long as possible, from the first step on.
[[nodiscard]] std::vector<paper_group> longest_groups(std::span<const run_step> steps);
/// The smallest number of groups.
[[nodiscard]] std::vector<paper_group> fewest_groups(std::span<const run_step> steps);

} // namespace weft::models
