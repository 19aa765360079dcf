// The version of weft, as in the project's CMakeLists.txt.
#pragma once

#include <string_view>

namespace weft::inline v0 {

/// The first number.
inline constexpr int version_major = 0;
/// The second number.
inline constexpr int version_minor = 1;
/// The third number.
inline constexpr int version_patch = 0;
/// All three.
inline constexpr std::string_view version = "0.1.0";

} // namespace weft::inline v0
