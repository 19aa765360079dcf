// The command line of the benchmarks.
#pragma once

#include "runner/workload.hpp"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct options {
    bool help = false;
    bool list = false;
    bool full = false;
    std::size_t repeats = 0;          // 0: as many as the workload wants
    std::vector<std::size_t> threads; // none: as the workload wants
    std::string json;                 // a file, or empty
    std::vector<workload> workloads;
};

/// The caller asked for what there is not.
class usage_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr std::size_t most_threads = 64;

/// The numbers of threads for a workload.
[[nodiscard]] std::vector<std::size_t> threads_for(const workload& which, const options& how);
[[nodiscard]] options read_options(std::span<char* const> arguments);
[[nodiscard]] std::string usage();

} // namespace bench
