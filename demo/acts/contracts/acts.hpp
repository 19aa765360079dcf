#pragma once

#include "acts/act.hpp"

namespace weft::demo::contracts {

outcome with_queue_of_events(const settings& how);
outcome with_queue_of_sources(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::contracts
