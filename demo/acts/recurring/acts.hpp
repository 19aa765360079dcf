#pragma once

#include "acts/act.hpp"

namespace weft::demo::recurring {

outcome with_moodycamel(const settings& settings);
outcome with_moodycamel_in_bulk(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::recurring
