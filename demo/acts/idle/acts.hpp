#pragma once

#include "acts/act.hpp"

namespace weft::demo::idle {

outcome with_polling(const settings& how);
outcome with_asio(const settings& how);
outcome with_tbb(const settings& how);
outcome with_weft(const settings& how);

} // namespace weft::demo::idle
