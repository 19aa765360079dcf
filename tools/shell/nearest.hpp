// Suggestions for a mistyped name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::cli {

/// "; did you mean 'x'?", or nothing if no name is near.
[[nodiscard]] std::string nearest_text(std::string_view name, std::span<const std::string> all);

} // namespace weft::cli
