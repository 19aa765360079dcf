// A frame of a game as a graph: 28 short nodes, which are run again and again. A node checks that
// all nodes before it have run in this frame.
#pragma once

#include "acts/timing.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::demo::graph {

struct node {
    std::string name;
    std::int64_t nanoseconds;
    std::vector<std::size_t> before; // the nodes that it comes after: their numbers are lower
};

/// The world has four zones, which are computed independently but for the collisions.
inline std::vector<node> make_nodes() {
    std::vector<node> made;
    const auto add = [&](std::string name, std::int64_t nanoseconds,
                         std::vector<std::size_t> before) {
        made.push_back({std::move(name), nanoseconds, std::move(before)});
        return made.size() - 1;
    };
    const std::size_t input = add("input", 200, {});
    const std::size_t network = add("network", 400, {});
    const std::size_t scripts = add("scripts", 400, {input, network});
    std::vector<std::size_t> moved;
    for (const std::string zone : {" 1", " 2", " 3", " 4"}) {
        const std::size_t decided = add("decide" + zone, 600, {scripts});
        moved.push_back(add("move" + zone, 400, {decided}));
    }
    const std::size_t collide = add("collide", 600, std::move(moved));
    const std::size_t sound = add("sound", 600, {collide});
    std::vector<std::size_t> drawn{add("effects", 600, {collide})};
    for (const std::string zone : {" 1", " 2", " 3", " 4"}) {
        const std::size_t pushed = add("push" + zone, 400, {collide});
        const std::size_t posed = add("pose" + zone, 400, {pushed});
        drawn.push_back(add("cull" + zone, 400, {posed}));
    }
    const std::size_t draw = add("draw", 600, std::move(drawn));
    add("present", 200, {draw, sound});
    return made;
}

class frame {
public:
    [[nodiscard]] const std::vector<node>& nodes() const { return nodes_; }

    /// What the node does, whoever calls it when.
    void run_node(std::size_t number) {
        counter& own = counters_[number];
        const std::uint64_t current = own.runs.load(std::memory_order_relaxed) + 1;
        for (const std::size_t each : nodes_[number].before) {
            if (counters_[each].runs.load(std::memory_order_relaxed) != current)
                out_of_order_.store(true, std::memory_order_relaxed);
        }
        compute_for(nodes_[number].nanoseconds);
        own.runs.store(current, std::memory_order_relaxed);
    }

    /// After the last run.
    [[nodiscard]] bool kept_order() const { return !out_of_order_.load(); }
    [[nodiscard]] bool ran(std::size_t times) const {
        return std::ranges::all_of(counters_,
                                   [&](const counter& each) { return each.runs.load() == times; });
    }

private:
    struct alignas(64) counter {
        std::atomic<std::uint64_t> runs{0};
    };
    std::vector<node> nodes_ = make_nodes();
    std::vector<counter> counters_ = std::vector<counter>(nodes_.size());
    std::atomic<bool> out_of_order_{false};
};

} // namespace weft::demo::graph
