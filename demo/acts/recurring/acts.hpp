#pragma once

#include "acts/act.hpp"

namespace weft::demo::recurring {

outcome with_moodycamel(const settings& how);
outcome with_tbb(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::recurring
