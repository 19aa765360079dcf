#include "models/run_groups.hpp"

#include <algorithm>
#include <set>

namespace weft::models {

namespace {

std::size_t multiplies(const run_step& step) { return step.kind == step_kind::multiplying ? 1 : 0; }

} // namespace

std::array<std::size_t, 4> count_kinds(std::span<const run_step> steps) {
    std::array<std::size_t, 4> counts{};
    for (const run_step& each : steps) ++counts[static_cast<std::size_t>(each.kind)];
    return counts;
}

bool may_be_group(std::span<const run_step> steps) {
    std::set<std::string> fired;
    std::size_t multiplications = 0;
    for (const run_step& each : steps) {
        if (each.kind == step_kind::balancing && steps.size() > 1) return false;
        if (each.kind == step_kind::multiplying) ++multiplications;
        if (!fired.insert(each.fired).second) return false;
    }
    return steps.empty() || multiplications <= steps.front().leaves_before;
}

std::vector<paper_group> longest_groups(std::span<const run_step> steps) {
    std::vector<paper_group> groups;
    for (std::size_t first = 0; first != steps.size();) {
        std::size_t end = first + 1;
        while (end != steps.size() && may_be_group(steps.subspan(first, end + 1 - first))) ++end;
        groups.push_back({first + 1, end});
        first = end;
    }
    return groups;
}

std::vector<paper_group> fewest_groups(std::span<const run_step> steps) {
    // For each number of steps: the smallest number of groups, and the length of the last group.
    std::vector<std::size_t> fewest(steps.size() + 1, 0);
    std::vector<std::size_t> last(steps.size() + 1, 0);
    for (std::size_t end = 1; end <= steps.size(); ++end) {
        fewest[end] = fewest[end - 1] + 1;
        last[end] = 1;
        std::set<std::string> fired{steps[end - 1].fired};
        std::size_t multiplications = multiplies(steps[end - 1]);
        for (std::size_t length = 2; length <= end; ++length) {
            // What fires twice, or MSS, excludes all longer groups too. A lack of leaves does not:
            // there may have been more before.
            const run_step& first = steps[end - length];
            const bool balances =
                first.kind == step_kind::balancing || steps[end - 1].kind == step_kind::balancing;
            if (balances || !fired.insert(first.fired).second) break;
            multiplications += multiplies(first);
            if (multiplications > first.leaves_before) continue;
            if (fewest[end - length] + 1 >= fewest[end]) continue;
            fewest[end] = fewest[end - length] + 1;
            last[end] = length;
        }
    }
    std::vector<paper_group> groups;
    for (std::size_t end = steps.size(); end != 0; end -= last[end]) {
        groups.push_back({end - last[end] + 1, end});
    }
    std::ranges::reverse(groups);
    return groups;
}

} // namespace weft::models
