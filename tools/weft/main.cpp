// The command line.
#include "arguments.hpp"
#include "demo.hpp"

#include <weft/version.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int failure = 1;
constexpr int wrong_use = 2;

void complain(const std::string& what) { std::fprintf(stderr, "weft: %s\n", what.c_str()); }

int print_help() {
    std::puts(
        "usage: weft COMMAND\n"
        "\n"
        "  demo     what stands, and the explorer at work on a lost wake-up\n"
        "  net      runs Petri nets and tells of all they can do; see weft net --help\n"
        "  mss      the Multi Stealing Scheduler's paper, table by table; see weft mss --help\n"
        "  sim      compares schedulers on up to 4096 cores; see weft sim --help\n"
        "  version  the version\n"
        "  help     this\n"
        "\n"
        "The script ./weft of the repository builds all this, and has one command more:\n"
        "\n"
        "  test     the whole test suite; see ./weft test --help");
    return success;
}

int print_version() {
    std::printf("weft %d.%d.%d\n", weft::version_major, weft::version_minor, weft::version_patch);
    return success;
}

using words = std::span<const char* const>;

struct command {
    std::string_view name;
    int (*run)();
    int (*run_with)(words) = nullptr; // for a command that takes arguments
};

constexpr std::array commands{
    command{"demo", [] { return weft::demo::run() ? success : failure; }},
    command{"net", nullptr, weft::cli::run_net},
    command{"mss", nullptr, weft::cli::run_mss},
    command{"sim", nullptr, weft::cli::run_sim},
    command{"version", print_version},
    command{"--version", print_version},
    command{"help", print_help},
    command{"--help", print_help},
};

/// How many letters must be added and taken away to make one of the other.
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : one) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t apart = std::min(row[j], row[j + 1]) + 1;
            const std::size_t kept = std::exchange(diagonal, row[j + 1]);
            row[j + 1] = letter == other[j] ? kept : apart;
        }
    }
    return row.back();
}

std::string_view nearest(std::string_view name) {
    return std::ranges::min(commands, {},
                            [&](const command& each) { return distance(name, each.name); })
        .name;
}

int run(std::span<const char* const> arguments) {
    if (arguments.empty()) return print_help();
    const std::string_view name = arguments.front();
    const auto* found = std::ranges::find(commands, name, &command::name);
    if (found == commands.end()) {
        complain("there is no command '" + std::string{name} + "'; the nearest is '" +
                 std::string{nearest(name)} + "' (see weft help)");
        return wrong_use;
    }
    if (found->run_with != nullptr) return found->run_with(arguments.subspan(1));
    if (arguments.size() > 1) {
        complain(std::string{name} + " takes no arguments, and was given '" + arguments[1] + "'");
        return wrong_use;
    }
    return found->run();
}

} // namespace

int main(int count, char** arguments) {
    try {
        const std::span all{arguments, static_cast<std::size_t>(count)};
        return run(all.empty() ? all : all.subspan(1));
    } catch (const weft::cli::usage_error& error) {
        complain(error.what());
        return wrong_use;
    } catch (const std::exception& error) {
        complain(error.what());
        return failure;
    }
}
