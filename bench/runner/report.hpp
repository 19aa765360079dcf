// The figures: a table for people, and JSON for programs.
#pragma once

#include "runner/measure.hpp"

#include <string>
#include <vector>

namespace bench {

/// The results of one workload.
[[nodiscard]] std::string table_text(const workload& measured, const std::vector<result>& results);

/// A list with an object for each metric of each result, one in a line.
[[nodiscard]] std::string json_text(const std::vector<result>& results);

} // namespace bench
