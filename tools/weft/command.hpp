// A command as data: its name, its options, what it does. The help and the parser are made of it.
#pragma once

#include "arguments.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weft::cli {

// All commands end with one of these.
inline constexpr int success = 0;
inline constexpr int failure = 1;   // it could not be done, or something that must hold does not
inline constexpr int wrong_use = 2; // what was typed makes no sense

struct option {
    std::string name;  // "--seed"
    std::string value; // "N", or empty for one that stands alone
    std::string about;
};

struct command {
    std::string name;
    std::string about; // a line
    std::string words; // besides options, such as "NET" or "[WORKLOAD...]"; empty: nothing
    std::vector<option> options;
    std::function<int(const arguments&)> run = nullptr; // none: its help
    std::string (*more_help)() = nullptr;
    std::vector<command> parts = {}; // commands of its own
};

inline const option json_option{"--json", "FILE", "the same for programs; - for standard output"};

/// Finds the command in the words and runs it; the exit code. Throws `usage_error`.
[[nodiscard]] int run_command(const command& all, std::span<const char* const> words);
/// The help of a command, found by the names that lead to it. Throws `usage_error`.
[[nodiscard]] std::string help_of(const command& all, std::span<const std::string> names);

// The commands, one in each file of that name.
[[nodiscard]] command bench_command();
[[nodiscard]] command demo_command();
[[nodiscard]] command doctor_command();
[[nodiscard]] command mss_command();
[[nodiscard]] command net_command();
[[nodiscard]] command sim_command();

} // namespace weft::cli
