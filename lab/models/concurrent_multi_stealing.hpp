// The multi-stealing model with as little sharing as possible, so that its transitions are
// concurrent.
#pragma once

#include "models/multi_stealing.hpp"
#include "models/problems.hpp"
#include <weft/lab/net.hpp>

#include <tuple>
#include <vector>

namespace weft::models {

/// Each core has a place for its list and one for its size; each leaf and each cell of the result
/// is a token. Transitions only read the sizes of other cores. So by the a-priori rule all enabled
/// transitions may fire in one step, as far as there are leaves. By the strict rule Multipliers
/// still may, because none changes the sizes.
///
/// No transition fires twice in a step (§6 of the paper), by either rule, because a step takes no
/// token twice. For MSS and LTS that token is a list. A leaf would not do for a Multiplier, as
/// there may be several: each core has one multiplier, which is a token of the place Free.
class concurrent_multi_stealing {
public:
    using thread_list = std::vector<normal_thread>;
    using cell = std::tuple<std::int32_t, std::int32_t, std::int32_t>; // row, column, value

    explicit concurrent_multi_stealing(const matrix_product& problem, std::size_t cores = 3);

    [[nodiscard]] petri::net& net() { return net_; }
    [[nodiscard]] const std::vector<petri::place<thread_list>>& lists() const { return lists_; }
    [[nodiscard]] petri::place<leaf_thread> leaves() const { return leaves_; }
    [[nodiscard]] petri::place<cell> cells() const { return cells_; }

private:
    void add_balancing();
    void add_core(const matrix_product& problem, std::size_t core);

    petri::net net_;
    std::vector<petri::place<thread_list>> lists_;
    std::vector<petri::place<std::size_t>> sizes_;
    petri::place<leaf_thread> leaves_;
    petri::place<matrix> a_;
    petri::place<matrix> b_;
    petri::place<cell> cells_;
};

} // namespace weft::models
