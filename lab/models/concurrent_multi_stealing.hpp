// The multi-stealing model with nothing shared that need not be: a net whose transitions are truly concurrent.
#pragma once

#include "models/multi_stealing.hpp"
#include "models/problems.hpp"
#include "petri/net.hpp"

#include <tuple>
#include <vector>

namespace weft::models {

/// Each core has a place for its list and one for its size; leaves and cells of the result are tokens of their own.
/// Transitions only look at the sizes of others, so in the a-priori rule of steps all that are enabled together may
/// occur together, as far as there are leaves. In the strict rule Multipliers still may: nobody changes what they
/// look at.
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
