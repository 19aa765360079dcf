#include "balance/plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace weft::inline v0::balance {

namespace {

std::size_t sum_of(std::span<const std::size_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

} // namespace

bool needs_balance(std::span<const std::size_t> sizes) {
    const bool somebody_idle =
        std::ranges::any_of(sizes, [](std::size_t each) { return each == 0; });
    return somebody_idle && std::ranges::any_of(sizes, [](std::size_t each) { return each > 1; });
}

share share_of(std::size_t total, std::size_t queues) {
    if (queues == 0) return {0, 0};
    if (total < queues) return {1, 0};
    return {total / queues, total % queues};
}

void multi_steal(std::span<std::size_t> sizes) {
    const auto [base, extra] = share_of(sum_of(sizes), sizes.size());
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

void spread_evenly(std::span<std::size_t> sizes) {
    if (sizes.empty()) return;
    const std::size_t total = sum_of(sizes);
    const std::size_t low = total / sizes.size();
    const std::size_t larger = total % sizes.size();
    for (std::size_t each = 0; each != sizes.size(); ++each) {
        sizes[each] = low + (each < larger ? 1 : 0);
    }
}

void balance_least(std::span<std::size_t> sizes) {
    if (sizes.empty()) return;
    const std::size_t total = sum_of(sizes);
    const std::size_t low = total / sizes.size();
    std::size_t larger = total % sizes.size();
    // Whoever has more than the low share keeps one more; the rest of the larger shares go to the first. If some are left
    // over, all of the rich have one, and so they are told from the others by their size.
    const auto share = [&](std::size_t& each) {
        each = low + (larger != 0 ? 1 : 0);
        if (larger != 0) --larger;
    };
    for (std::size_t& each : sizes) {
        if (each > low) share(each);
    }
    for (std::size_t& each : sizes) {
        if (each <= low) share(each);
    }
}

void partial_multi_steal(std::span<std::size_t> sizes) {
    std::vector<std::size_t> some;
    for (const std::size_t each : sizes) {
        if (each != 1) some.push_back(each);
    }
    multi_steal(some);
    auto next = some.begin();
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

void moves_between(std::span<const std::size_t> before, std::span<const std::size_t> after,
                   std::vector<move>& moves) {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t given = 0; // of what `from` has too many
    std::size_t got = 0;   // of what `to` lacks
    for (;;) {
        while (from != before.size() && before[from] <= after[from] + given) {
            ++from;
            given = 0;
        }
        while (to != before.size() && after[to] <= before[to] + got) {
            ++to;
            got = 0;
        }
        if (from == before.size() || to == before.size()) return;
        const std::size_t count =
            std::min(before[from] - after[from] - given, after[to] - before[to] - got);
        moves.push_back({from, to, count});
        given += count;
        got += count;
    }
}

std::size_t moved_between(std::span<const std::size_t> before, std::span<const std::size_t> after) {
    std::size_t moved = 0;
    for (std::size_t each = 0; each != before.size(); ++each) {
        moved += before[each] - std::min(before[each], after[each]);
    }
    return moved;
}

std::size_t half_of(std::size_t size, std::size_t cap) {
    return std::min(size / 2 + size % 2, cap);
}

std::size_t richest(std::span<const std::size_t> sizes, std::size_t start) {
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

bool worth_a_plan(std::size_t idle, std::size_t workers, std::size_t queued) {
    return idle > 0 && idle >= workers / 4 && queued > idle;
}

} // namespace weft::inline v0::balance
