// The command line.
#include "commands.hpp"
#include "shell/files.hpp"
#include "tour.hpp"

#include <weft/version.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>

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
    return "The script ./weft of the repository builds this program and has three more commands:\n"
           "  test                      Runs every test in every build\n"
           "  bench                     Measures weft and other libraries\n"
           "  mutate                    Tells whether the tests notice changes of meaning\n"
           "\n"
           "Start with: weft demo. For the help of a command: weft help COMMAND.\n"
           "Exit codes: 0 success; 1 the command failed, or a property that must hold does not;\n"
           "2 the command line is wrong.";
}

int print_help(const arguments& request);

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
             {"help", "Prints this help, or that of a command", "[COMMAND...]", {}, print_help}}};
}

int print_help(const arguments& request) {
    std::fputs(help_of(all_commands(), request.plain()).c_str(), stdout);
    return success;
}

} // namespace

int main(int count, char** words) { return run_program(all_commands(), count, words); }
