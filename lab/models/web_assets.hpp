// The scripts of models for the browser, which the build makes into C++.
#pragma once

#include <string_view>

namespace weft::models {

extern const std::string_view multi_stealing_script; // multi_stealing.js

} // namespace weft::models
