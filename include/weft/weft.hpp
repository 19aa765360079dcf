// All public headers of the runtime. The explorer is apart: <weft/explorer.hpp>.
#pragma once

#include <weft/error.hpp>
#include <weft/version.hpp>
