// The trees of the Unbalanced Tree Search benchmark (Olivier and others, 2006): what children a
// node has follows from a hash of its parent's and its number among them, so that a tree has the
// same nodes in whatever order it is walked.
#pragma once

#include "uts/sha1.hpp"

#include <cstdint>
#include <string>

namespace bench::uts {

enum class shape : std::uint8_t {
    geometric, // about `branching` children each, down to `most_depth`
    binomial,  // `branching` at the root; below, `children` with `probability`, or none
};

struct tree {
    std::string name;
    shape kind;
    std::uint32_t seed;
    double branching;
    int most_depth;     // geometric
    int children;       // binomial
    double probability; // binomial
    std::int64_t nodes;
};

/// T1 of the original: 4,130,071 nodes, 10 levels deep.
[[nodiscard]] tree bushy();
/// T3 of the original: 4,112,897 nodes, 1,572 levels deep, with 2,000 children of the root.
[[nodiscard]] tree deep();

struct node {
    digest state;
    int depth;
};

[[nodiscard]] node root_of(const tree& whole);
[[nodiscard]] int children_of(const tree& whole, const node& parent);
[[nodiscard]] node child_of(const node& parent, int index);

} // namespace bench::uts
