#pragma once

#include "acts/act.hpp"

namespace weft::demo::sum {

outcome serially(const settings& how);
outcome with_async(const settings& how);
outcome with_async_and_cut_off(const settings& how);
outcome with_tbb(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::sum
