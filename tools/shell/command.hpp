// A command as data: its name, its options, its function. The help and the parser are made from it.
#pragma once

#include "shell/arguments.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weft::cli {

// The exit codes of every command.
inline constexpr int success = 0;
inline constexpr int failure = 1;   // the command failed, or a property that must hold does not
inline constexpr int wrong_use = 2; // the command line is wrong

struct option {
    std::string name;  // "--seed"
    std::string value; // "N", or empty for a flag
    std::string about;
};

struct command {
    std::string name;
    std::string about; // one line
    std::string words; // the positional words, such as "NET" or "[WORKLOAD...]"; empty: none
    std::vector<option> options;
    std::function<int(const arguments&)> run = nullptr; // none: prints the help
    std::string (*more_help)() = nullptr;
    std::vector<command> parts = {}; // subcommands
    /// The positional words that a shell can complete; none: the names of files.
    std::vector<std::string> (*known_words)() = nullptr;
};

inline const option json_option{"--json", "FILE",
                                "writes the result as JSON to FILE, or to standard output for -"};

/// The main function of a program: finds the command in the words behind the program's name and
/// runs it. Errors go to standard error behind the program's name. Returns the exit code.
[[nodiscard]] int run_program(const command& program, int count, const char* const* words);
/// The help of a command, found by the names that lead to it. Throws `usage_error`.
[[nodiscard]] std::string help_of(const command& program, std::span<const std::string> names);

} // namespace weft::cli
