// The figures: a table for people, and JSON for programs.
#pragma once

#include "runner/measure.hpp"

#include <ostream>
#include <vector>

namespace bench {

/// The results of one workload.
void print_table(std::ostream& out, const workload& which, const std::vector<result>& results);

/// A list with an object for each metric of each result.
void print_json(std::ostream& out, const std::vector<result>& results);

} // namespace bench
