#pragma once

#include "acts/act.hpp"

namespace weft::demo::graph {

outcome serially(const settings& settings);
outcome with_async(const settings& settings);
outcome with_levels(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::graph
