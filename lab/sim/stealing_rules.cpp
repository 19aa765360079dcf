#include "sim/stealing_rules.hpp"

#include "balance/plan.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weft::sim {

void spread_evenly(std::span<std::size_t> sizes) {
    if (sizes.empty()) return;
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    const std::size_t low = total / sizes.size();
    const std::size_t larger = total % sizes.size();
    for (std::size_t each = 0; each != sizes.size(); ++each) {
        sizes[each] = low + (each < larger ? 1 : 0);
    }
}

void partial_multi_steal(std::span<std::size_t> sizes) {
    std::vector<std::size_t> others;
    for (const std::size_t each : sizes) {
        if (each != 1) others.push_back(each);
    }
    balance::multi_steal(others);
    auto next = others.begin();
    for (std::size_t& each : sizes) {
        if (each != 1) each = *next++;
    }
}

void single_steal(std::span<std::size_t> sizes) {
    std::size_t victim = 0;
    for (std::size_t& each : sizes) {
        if (each != 0) continue;
        while (victim != sizes.size() && sizes[victim] < 2) ++victim;
        if (victim == sizes.size()) return;
        --sizes[victim];
        ++each;
    }
}

std::size_t moved_between(std::span<const std::size_t> before, std::span<const std::size_t> after) {
    std::size_t moved = 0;
    for (std::size_t each = 0; each != before.size(); ++each) {
        moved += before[each] - std::min(before[each], after[each]);
    }
    return moved;
}

std::size_t richest_queue(std::span<const std::size_t> sizes, std::size_t start) {
    std::size_t best = sizes.size();
    std::size_t most = 0;
    for (std::size_t count = 0; count != sizes.size(); ++count) {
        const std::size_t each = (start + count) % sizes.size();
        if (sizes[each] <= most) continue;
        best = each;
        most = sizes[each];
    }
    return best;
}

} // namespace weft::sim
