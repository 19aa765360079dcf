// The command line.
#include "commands.hpp"
#include "shell/completion.hpp"
#include "shell/files.hpp"
#include "shell/manual.hpp"
#include "tour.hpp"

#include <weft/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace weft::cli;

int print_version(const arguments& request) {
    if (const auto file = request.value("--json")) {
        write_json(*file, {{"version", weft::version}});
    } else {
        std::printf("weft %s\n", std::string{weft::version}.c_str());
    }
    return success;
}

int show_tour(const arguments& request) {
    const auto file = request.value("--json");
    weft::tour::narration told{!file};
    weft::tour::tell(told);
    if (file) {
        nlohmann::ordered_json steps = nlohmann::ordered_json::array();
        for (const weft::tour::step& each : told.steps()) {
            steps.push_back({{"as_expected", each.as_expected}, {"text", each.text}});
        }
        write_json(*file, {{"as_expected", told.as_expected()}, {"steps", steps}});
    }
    return told.as_expected() ? success : failure;
}

std::string closing_help() {
    return "The script ./weft of the repository builds this program and has four more commands:\n"
           "  test                      Runs every test in every build\n"
           "  bench                     Measures weft and other libraries\n"
           "  cluster                   Runs and measures ranks of an MPI job\n"
           "  mutate                    Tells whether the tests notice changes of meaning\n"
           "\n"
           "Start with: weft demo. For the help of a command: weft help COMMAND.\n"
           "Exit codes: 0 success; 1 the command failed, or a property that must hold does not;\n"
           "2 the command line is wrong.";
}

int print_help(const arguments& request);
int print_completion(const arguments& request);
int print_manual(const arguments& request);
std::vector<std::string> names_of_commands();
std::vector<std::string> names_of_shells() {
    return {completed_shells().begin(), completed_shells().end()};
}

command all_commands() {
    return {"weft",
            "weft: many tasks on few threads, without locks in user code\n",
            "",
            {{"--version", "", "prints the version"}},
            [](const arguments& request) {
                if (request.has("--version")) return print_version({});
                return print_help(request);
            },
            closing_help,
            {demo_command(),
             {"tour",
              "Shows the pool, then the explorer on a lost wake-up, step by step",
              "",
              {json_option},
              show_tour},
             net_command(),
             mss_command(),
             sim_command(),
             doctor_command(),
             {"version", "Prints the version", "", {json_option}, print_version},
             {"completion",
              "Prints a script with which bash, zsh or fish complete commands and options",
              "SHELL",
              {},
              print_completion,
              nullptr,
              {},
              names_of_shells},
             {"manual", "Prints the manual page, as troff", "", {}, print_manual},
             {"help",
              "Prints this help, or that of a command",
              "[COMMAND...]",
              {},
              print_help,
              nullptr,
              {},
              names_of_commands}}};
}

std::vector<std::string> names_of_commands() {
    std::vector<std::string> names;
    for (const command& each : all_commands().parts) names.push_back(each.name);
    return names;
}

int print_completion(const arguments& request) {
    if (request.plain().size() != 1) {
        throw usage_error{
            fmt::format("completion takes one shell: {}", fmt::join(names_of_shells(), ", "))};
    }
    std::fputs(completion_of(all_commands(), request.plain().front()).c_str(), stdout);
    return success;
}

int print_manual(const arguments& /*request*/) {
    std::fputs(manual_of(all_commands(), weft::version).c_str(), stdout);
    return success;
}

int print_help(const arguments& request) {
    std::fputs(help_of(all_commands(), request.plain()).c_str(), stdout);
    return success;
}

} // namespace

int main(int count, char** words) { return run_program(all_commands(), count, words); }
