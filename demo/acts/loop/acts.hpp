#pragma once

#include "acts/act.hpp"

namespace weft::demo::loop {

outcome serially(const settings& settings);
outcome with_static_schedule(const settings& settings);
outcome with_dynamic_schedule(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::loop
