#pragma once

#include "acts/act.hpp"

namespace weft::demo::idle {

outcome with_polling(const settings& settings);
outcome with_asio(const settings& settings);
outcome with_tbb(const settings& settings);
outcome with_weft(const settings& settings);

} // namespace weft::demo::idle
