// The manual page, made from the data of the commands.
#pragma once

#include "shell/command.hpp"

#include <string>
#include <string_view>

namespace weft::cli {

/// The page of the program and all its commands, in troff, for section 1 of the manual.
[[nodiscard]] std::string manual_of(const command& program, std::string_view version);

} // namespace weft::cli
