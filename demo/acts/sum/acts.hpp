#pragma once

#include "acts/act.hpp"

namespace weft::demo::sum {

outcome serially(const settings& settings);
outcome with_async(const settings& settings);
outcome with_async_and_cut_off(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::sum
