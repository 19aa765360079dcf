#include "balance/plan.hpp"

#include <algorithm>
#include <numeric>

namespace weft::inline v0::balance {

namespace {

std::size_t sum_of(std::span<const std::size_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

} // namespace

bool needs_balance(std::span<const std::size_t> sizes) {
    const bool one_is_idle = std::ranges::any_of(sizes, [](std::size_t each) { return each == 0; });
    return one_is_idle && std::ranges::any_of(sizes, [](std::size_t each) { return each > 1; });
}

quota quota_of(std::size_t total, std::size_t queues) {
    if (queues == 0) return {0, 0};
    if (total < queues) return {1, 0};
    return {total / queues, total % queues};
}

void multi_steal(std::span<std::size_t> sizes) {
    const auto [base, extra] = quota_of(sum_of(sizes), sizes.size());
    std::size_t collected = 0;
    for (std::size_t& each : sizes) {
        if (each <= base) continue;
        collected += each - base;
        each = base;
    }
    std::size_t extra_left = extra;
    for (std::size_t& each : sizes) {
        const std::size_t filled = std::min(base - each, collected);
        each += filled;
        collected -= filled;
        if (extra_left == 0) continue;
        ++each;
        --collected;
        --extra_left;
    }
}

void balance_least(std::span<std::size_t> sizes) {
    if (sizes.empty()) return;
    const std::size_t total = sum_of(sizes);
    const std::size_t low = total / sizes.size();
    std::size_t larger = total % sizes.size();
    // Queues above the low quota get the larger quotas first, then the others in their order. If
    // larger quotas remain after the first loop, every queue that it visited is still above the low
    // quota, so the second loop skips them.
    const auto assign = [&](std::size_t& each) {
        each = low + (larger != 0 ? 1 : 0);
        if (larger != 0) --larger;
    };
    for (std::size_t& each : sizes) {
        if (each > low) assign(each);
    }
    for (std::size_t& each : sizes) {
        if (each <= low) assign(each);
    }
}

void moves_between(std::span<const std::size_t> before, std::span<const std::size_t> after,
                   std::vector<move>& moves) {
    std::size_t source = 0;
    std::size_t destination = 0;
    std::size_t given = 0;    // of the surplus of `source`
    std::size_t received = 0; // of the deficit of `destination`
    for (;;) {
        while (source != before.size() && before[source] <= after[source] + given) {
            ++source;
            given = 0;
        }
        while (destination != before.size() &&
               after[destination] <= before[destination] + received) {
            ++destination;
            received = 0;
        }
        if (source == before.size() || destination == before.size()) return;
        const std::size_t count = std::min(before[source] - after[source] - given,
                                           after[destination] - before[destination] - received);
        moves.push_back({source, destination, count});
        given += count;
        received += count;
    }
}

std::size_t half_of(std::size_t size, std::size_t cap) {
    return std::min(size / 2 + size % 2, cap);
}

bool worth_a_plan(std::size_t idle, std::size_t workers, std::size_t queued) {
    return idle > 0 && many_are_idle(idle, workers) && queued > idle;
}

} // namespace weft::inline v0::balance
