// Results for a terminal.
#pragma once

#include "stage/show.hpp"

#include <string>

namespace weft::demo {

/// The rows of a workload under its title.
[[nodiscard]] std::string table_of(const workload_report& report);

/// The name of a workload's figure, for the head of a column.
[[nodiscard]] std::string heading_of(const workload& workload);
/// The figure of an act with its unit, or how the act ended.
[[nodiscard]] std::string result_text(const workload& workload, const act_report& report);
/// The other figures of an act.
[[nodiscard]] std::string more_text(const act_report& report);
/// "3.1×", or nothing.
[[nodiscard]] std::string ratio_text(const act_report& report);

/// A figure in a readable unit: "1.24 M", "17.3 ms".
[[nodiscard]] std::string in_words(double value, std::string_view unit);

} // namespace weft::demo
