#pragma once

#include "acts/act.hpp"

namespace weft::demo::nested {

outcome with_asio(const settings& how);
outcome with_tbb(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::nested
