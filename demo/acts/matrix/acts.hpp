#pragma once

#include "acts/act.hpp"

namespace weft::demo::matrix {

outcome serially(const settings& how);
outcome with_async(const settings& how);
outcome with_tbb(const settings& how);
outcome with_weft(const settings& how);
outcome with_multi_stealing(const settings& how);
outcome as_net(const settings& how);

} // namespace weft::demo::matrix
