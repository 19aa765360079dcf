// The commands, one in each file of that name.
#pragma once

#include "shell/command.hpp"

namespace weft::cli {

[[nodiscard]] command demo_command();
[[nodiscard]] command doctor_command();
[[nodiscard]] command mss_command();
[[nodiscard]] command net_command();
[[nodiscard]] command sim_command();

} // namespace weft::cli
