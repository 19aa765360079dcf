// Results for a terminal.
#pragma once

#include "stage/show.hpp"

#include <string>

namespace weft::demo {

/// The rows of a workload under its title.
[[nodiscard]] std::string table_of(const workload_report& of);

/// What the figure of a workload is, for the head of a column.
[[nodiscard]] std::string heading_of(const workload& what);
/// The figure of an act in words, or how it ended.
[[nodiscard]] std::string result_text(const workload& what, const act_report& of);
/// What an act has besides its figure.
[[nodiscard]] std::string more_text(const act_report& of);
/// "3.1×", or nothing.
[[nodiscard]] std::string ratio_text(const act_report& of);

/// "1.24 M", "17.3 ms": a figure in a unit that people read.
[[nodiscard]] std::string in_words(double value, std::string_view unit);

} // namespace weft::demo
