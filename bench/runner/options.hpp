// What a run of the benchmarks measures.
#pragma once

#include "runner/workload.hpp"

#include "shell/command.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct options {
    bool full = false;
    std::size_t repeats = 0;          // 0: the workload's default
    std::vector<std::size_t> threads; // none: the workload's default
    std::optional<std::string> json;  // a file, or "-"
    std::vector<workload> workloads;
};

inline constexpr std::size_t most_threads = 64;

/// The numbers of threads for a workload.
[[nodiscard]] std::vector<std::size_t> threads_for(const workload& measured,
                                                   const options& options);
/// The options of the program, for its help and its parser.
[[nodiscard]] std::vector<weft::cli::option> known_options();
/// Throws weft::cli::usage_error.
[[nodiscard]] options read_options(const weft::cli::arguments& arguments);

} // namespace bench
