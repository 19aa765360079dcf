#pragma once

#include "acts/act.hpp"

namespace weft::demo::contracts {

outcome with_queue_of_events(const settings& settings);
outcome with_queue_of_sources(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::contracts
