#include "uts/tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bench::uts {

namespace {

constexpr int most_children = 100; // but for the root of a binomial tree

/// From 0 to 1: the last 31 bits of the state.
double random_of(const node& whole) {
    return static_cast<double>(whole.state.back() & 0x7FFF'FFFFU) / 2147483648.0;
}

int geometric_children(const tree& whole, const node& parent) {
    if (parent.depth >= whole.most_depth) return 0;
    const double stop = 1 / (1 + whole.branching);
    const double count = std::floor(std::log(1 - random_of(parent)) / std::log(1 - stop));
    return std::min(static_cast<int>(count), most_children);
}

int binomial_children(const tree& whole, const node& parent) {
    if (parent.depth == 0) return static_cast<int>(whole.branching);
    return random_of(parent) < whole.probability ? whole.children : 0;
}

} // namespace

tree bushy() {
    return {.name = "T1",
            .kind = shape::geometric,
            .seed = 19,
            .branching = 4,
            .most_depth = 10,
            .children = 0,
            .probability = 0,
            .nodes = 4'130'071};
}

tree deep() {
    return {.name = "T3",
            .kind = shape::binomial,
            .seed = 42,
            .branching = 2000,
            .most_depth = 0,
            .children = 8,
            .probability = 0.124875,
            .nodes = 4'112'897};
}

node root_of(const tree& whole) {
    const digest seed{0, 0, 0, 0, whole.seed};
    return {sha1(seed), 0};
}

int children_of(const tree& whole, const node& parent) {
    return whole.kind == shape::geometric ? geometric_children(whole, parent)
                                          : binomial_children(whole, parent);
}

node child_of(const node& parent, int index) {
    const auto& state = parent.state;
    const std::array<std::uint32_t, 6> message{
        state[0], state[1], state[2], state[3], state[4], static_cast<std::uint32_t>(index)};
    return {sha1(message), parent.depth + 1};
}

} // namespace bench::uts
