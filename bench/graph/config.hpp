// Graphs of empty nodes: what a library needs to get from one node to the next. A graph is built
// once, and each run of it is timed.
#pragma once

#include "runner/timed.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bench::graphs {

/// The nodes are numbered, and edges lead to higher numbers.
struct shape {
    std::string name;
    std::size_t nodes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

inline shape chain(std::size_t nodes) {
    shape made{"chain", nodes, {}};
    for (std::uint32_t i = 1; i < nodes; ++i) made.edges.emplace_back(i - 1, i);
    return made;
}
/// Two successors each.
inline shape tree(std::size_t nodes) {
    shape made{"tree", nodes, {}};
    for (std::uint32_t i = 1; i < nodes; ++i) made.edges.emplace_back((i - 1) / 2, i);
    return made;
}
/// A square whose nodes follow those to the left and above.
inline shape wavefront(std::uint32_t side) {
    shape made{"wavefront", std::size_t{side} * side, {}};
    for (std::uint32_t row = 0; row < side; ++row) {
        for (std::uint32_t column = 0; column < side; ++column) {
            const std::uint32_t here = row * side + column;
            if (column > 0) made.edges.emplace_back(here - 1, here);
            if (row > 0) made.edges.emplace_back(here - side, here);
        }
    }
    return made;
}
/// Each node follows two others, anywhere before it.
inline shape random_shape(std::size_t nodes) {
    shape made{"random", nodes, {}};
    std::mt19937_64 random{42};
    for (std::uint32_t i = 1; i < nodes; ++i) {
        for (int each = 0; each != 2; ++each) {
            made.edges.emplace_back(static_cast<std::uint32_t>(random() % i), i);
        }
    }
    return made;
}

inline std::vector<shape> shapes(const request& request) {
    const auto scale = request.choose<std::size_t>(1, 4);
    return {chain(100'000 * scale), tree(scale == 1 ? 131'071 : 524'287),
            wavefront(scale == 1 ? 316 : 632), random_shape(100'000 * scale)};
}

/// A contestant that is run a few times in a row, as a graph that is run many times is: the first
/// run is not timed. `parts` are its nodes, turns or tasks.
template <class Stage, class Made>
contestant timed_parts(std::shared_ptr<Stage> stage, const std::string& shape_name,
                       const std::string& metric, std::size_t parts, std::shared_ptr<Made> made) {
    auto run = [stage, made, metric, parts]() -> std::vector<sample> {
        constexpr int runs = 5;
        stage->before();
        made->run();
        const weft::cli::stopwatch watch;
        for (int each = 0; each != runs; ++each) made->run();
        const double seconds = watch.seconds();
        stage->after();
        return {{metric, seconds * 1e9 / (runs * static_cast<double>(parts)), "ns"}};
    };
    return {
        {{"shape", shape_name}, {"parts", static_cast<std::int64_t>(parts)}}, {}, std::move(run)};
}

/// Checks that a library's graph respects every edge: its nodes call `visit(number)`.
class order_check {
public:
    explicit order_check(const shape& checked) : shape_{&checked}, times_(checked.nodes) {}
    void visit(std::size_t node) { times_[node] = ++clock_; }
    void check() const {
        for (const std::uint64_t each : times_) {
            if (each == 0) throw wrong_result{"a node of " + shape_->name + " did not run"};
        }
        for (const auto& [before, after] : shape_->edges) {
            if (times_[before] > times_[after]) {
                throw wrong_result{"a node of " + shape_->name + " ran too early"};
            }
        }
        expect_equal("runs", clock_.load(), static_cast<std::uint64_t>(shape_->nodes));
    }

private:
    const shape* shape_;
    std::vector<std::uint64_t> times_;
    std::atomic<std::uint64_t> clock_{0};
};

} // namespace bench::graphs
