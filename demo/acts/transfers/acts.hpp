#pragma once

#include "acts/act.hpp"

namespace weft::demo::transfers {

outcome with_locks_as_named(const settings& settings);
outcome with_scoped_locks(const settings& settings);
outcome with_strand(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::transfers
