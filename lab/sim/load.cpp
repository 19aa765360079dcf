#include "sim/load.hpp"

#include "sim/split_mix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <stdexcept>

namespace weft::sim {

namespace {

constexpr time dividing = 50;
constexpr std::uint32_t uts_children = 8;
/// How many of a million nodes have children. Times eight this is just below a million, so the tree
/// is finite.
constexpr std::uint64_t uts_inner = 122'000;

/// Geometric: twice the length has half the probability, up to 128 times the shortest.
time varied_length(std::uint64_t seed, time leaf) {
    const auto doublings = static_cast<unsigned>(std::countr_zero(mixed(seed) | (1U << 7U)));
    return std::max<time>(1, (leaf << doublings) / 4);
}

struct kind_name {
    std::string_view name;
    load_kind kind;
    std::string_view meaning;
    std::uint32_t most;
};

constexpr std::array<kind_name, 6> kinds{{
    {"balanced", load_kind::balanced, "a binary tree of depth N", 24},
    {"varied", load_kind::varied, "the same, with leaves of varying length", 24},
    {"fibonacci", load_kind::fibonacci, "the call tree of the N-th Fibonacci number", 32},
    {"one-queue", load_kind::one_queue, "N tasks in one queue", 10'000'000},
    {"skewed", load_kind::skewed, "N tasks in each queue of an eighth of the cores", 100'000},
    {"uts", load_kind::uts, "an unbalanced tree whose root has N children", 100'000},
}};

const kind_name& entry_of(load_kind kind) {
    return *std::ranges::find(kinds, kind, &kind_name::kind);
}

} // namespace

std::string load::name() const {
    return std::string{entry_of(kind_).name} + ":" + std::to_string(size_);
}

std::vector<task> load::first_tasks(std::size_t core, std::size_t cores) const {
    const auto depth = static_cast<std::int32_t>(size_);
    if (kind_ == load_kind::skewed) {
        if (core >= std::max<std::size_t>(1, cores / 8)) return {};
        return std::vector<task>(size_, task{core, 0});
    }
    if (core != 0) return {};
    if (kind_ == load_kind::one_queue) return std::vector<task>(size_, task{1, 0});
    if (kind_ == load_kind::uts) return {task{1, 0}};
    return {task{1, depth}};
}

time load::length(const task& item) const {
    switch (kind_) {
    case load_kind::balanced: return item.depth > 0 ? dividing : leaf_;
    case load_kind::varied: return item.depth > 0 ? dividing : varied_length(item.seed, leaf_);
    case load_kind::fibonacci: return item.depth > 1 ? dividing : leaf_;
    case load_kind::one_queue:
    case load_kind::skewed: return leaf_;
    case load_kind::uts: return leaf_ / 2 + 1;
    }
    return leaf_;
}

void load::children(const task& item, std::vector<task>& made) const {
    made.clear();
    if (kind_ == load_kind::uts) {
        const bool is_inner = mixed(item.seed) % 1'000'000 < uts_inner;
        const std::uint32_t count = item.depth == 0 ? size_ : is_inner ? uts_children : 0;
        for (std::uint32_t each = 1; each <= count; ++each)
            made.push_back({mixed(item.seed * 31 + each), 1});
    } else if (kind_ == load_kind::fibonacci) {
        if (item.depth < 2) return;
        made.push_back({item.seed, item.depth - 1});
        made.push_back({item.seed, item.depth - 2});
    } else if (item.depth > 0) {
        made.push_back({mixed(item.seed * 2), item.depth - 1});
        made.push_back({mixed(item.seed * 2 + 1), item.depth - 1});
    }
}

work_law measure(const load& workload, std::size_t cores) {
    struct ahead {
        task item;
        time before;
    };
    work_law law;
    std::vector<ahead> stack;
    for (std::size_t core = 0; core != cores; ++core) {
        for (const task& each : workload.first_tasks(core, cores)) stack.push_back({each, 0});
    }
    std::vector<task> made;
    while (!stack.empty()) {
        const auto [item, before] = stack.back();
        stack.pop_back();
        const time end = before + workload.length(item);
        law.work += workload.length(item);
        law.span = std::max(law.span, end);
        ++law.tasks;
        workload.children(item, made);
        for (const task& each : made) stack.push_back({each, end});
    }
    return law;
}

load read_load(std::string_view text, time leaf) {
    const auto colon = text.find(':');
    const auto found = std::ranges::find(kinds, text.substr(0, colon), &kind_name::name);
    if (found == kinds.end()) {
        throw std::invalid_argument{"there is no load '" + std::string{text.substr(0, colon)} +
                                    "'; there are" + load_names()};
    }
    const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    std::uint32_t size = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (failed != std::errc{} || end != digits.data() + digits.size() || size < 1 ||
        size > found->most) {
        throw std::invalid_argument{std::string{found->name} + " takes a number from 1 to " +
                                    std::to_string(found->most) + ", as in " +
                                    std::string{found->name} + ":12"};
    }
    return {found->kind, size, leaf};
}

std::string load_names() {
    std::string names;
    for (const kind_name& each : kinds) {
        std::string row = "\n  " + std::string{each.name} + ":N";
        row.resize(std::max(row.size(), std::size_t{15}), ' ');
        names += row + "  " + std::string{each.meaning};
    }
    return names;
}

} // namespace weft::sim
