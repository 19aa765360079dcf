#include <weft/lab/runs.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace weft::inline v0::petri {

namespace {

/// Topological order of the markings; it is incomplete if there is a cycle.
std::vector<std::uint32_t> topological_order(const state_space& space) {
    std::vector<std::uint32_t> arcs_in(space.markings(), 0);
    for (std::uint32_t number = 0; number != space.markings(); ++number) {
        for (const std::uint32_t target : space.targets(number)) ++arcs_in[target];
    }
    std::vector<std::uint32_t> order;
    order.reserve(space.markings());
    if (arcs_in[0] == 0) order.push_back(0);
    for (std::size_t next = 0; next != order.size(); ++next) {
        for (const std::uint32_t target : space.targets(order[next])) {
            if (--arcs_in[target] == 0) order.push_back(target);
        }
    }
    return order;
}

struct ways {
    std::optional<std::uint64_t> count = 0;
    bounds weight{std::numeric_limits<std::uint64_t>::max(), 0};

    void add(const ways& further, std::uint64_t weight_of_arc) {
        const bool fits = count && further.count &&
                          *count <= std::numeric_limits<std::uint64_t>::max() - *further.count;
        count = fits ? std::optional{*count + *further.count} : std::nullopt;
        weight.least = std::min(weight.least, further.weight.least + weight_of_arc);
        weight.most = std::max(weight.most, further.weight.most + weight_of_arc);
    }
};

} // namespace

all_runs runs_of(const state_space& space,
                 const std::function<std::uint64_t(transition_index)>& weight) {
    const auto order = topological_order(space);
    if (order.size() != space.markings()) {
        throw error{fault::bad_net, "the state space has a cycle, so there are infinite runs"};
    }
    std::vector<std::uint64_t> weights;
    for (transition_index each = 0; each != space.net().transitions().size(); ++each) {
        weights.push_back(weight(each));
    }
    std::vector<ways> to_the_end(space.markings());
    for (std::size_t left = order.size(); left != 0; --left) {
        const std::uint32_t current = order[left - 1];
        const auto targets = space.targets(current);
        const auto labels = space.transitions(current);
        if (targets.empty()) to_the_end[current] = {.count = 1, .weight = {0, 0}};
        for (std::size_t arc = 0; arc != targets.size(); ++arc) {
            to_the_end[current].add(to_the_end[targets[arc]], weights[labels[arc]]);
        }
    }
    return {to_the_end[0].count, to_the_end[0].weight};
}

} // namespace weft::inline v0::petri
