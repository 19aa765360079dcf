#pragma once

#include "acts/act.hpp"

namespace weft::demo::matrix {

outcome serially(const settings& settings);
outcome with_async(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);
outcome with_multi_stealing(const settings& settings);
outcome as_net(const settings& settings);

} // namespace weft::demo::matrix
