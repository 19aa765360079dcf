// Shell completions, made from the data of the commands.
#pragma once

#include "shell/command.hpp"

#include <span>
#include <string>
#include <string_view>

namespace weft::cli {

/// The shells that there are completions for.
[[nodiscard]] std::span<const std::string_view> completed_shells();
/// The script that makes this shell complete the program's commands and options. Throws
/// `usage_error` for any other shell.
[[nodiscard]] std::string completion_of(const command& program, std::string_view shell);

} // namespace weft::cli
