// Runs a workload's contestants in turn, and takes the median of each.
#pragma once

#include "runner/options.hpp"
#include "runner/workload.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// The medians of a contestant.
struct result {
    std::string workload;
    std::string library;
    std::size_t threads;
    parameters problem;
    parameters limits;
    std::size_t runs;
    std::vector<sample> medians;
};

/// Each repeat runs every contestant once, so that a change of the machine's speed affects all of
/// them. A first round warms up and is not counted.
[[nodiscard]] std::vector<result> measure(const workload& measured, const options& options);

} // namespace bench
