#pragma once

#include "acts/act.hpp"

namespace weft::demo::nested {

outcome with_asio(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::nested
