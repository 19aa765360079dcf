#pragma once

#include "acts/act.hpp"

namespace weft::demo::transfers {

outcome with_locks_as_named(const settings& how);
outcome with_scoped_locks(const settings& how);
outcome with_strand(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::transfers
