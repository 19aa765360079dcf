// The command line.
#include "command.hpp"
#include "tour.hpp"

#include <weft/version.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

namespace {

using namespace weft::cli;

int print_version(const arguments& how) {
    if (const auto file = how.value("--json")) {
        write_whole_file(*file, nlohmann::json{{"version", weft::version}}.dump() + "\n");
    } else {
        std::printf("weft %s\n", std::string{weft::version}.c_str());
    }
    return success;
}

std::string last_words() {
    return "The script ./weft of the repository builds all this, and has one command more:\n"
           "  test                      every test in every build; see ./weft test --help\n"
           "\n"
           "Begin with: weft demo. The help of a command: weft help COMMAND.\n"
           "Exit codes: 0 done; 1 it could not be done, or something that must hold does not;\n"
           "2 what was typed makes no sense.";
}

int print_help(const arguments& how);

command all_commands() {
    return {"weft",
            "weft: many tasks on few threads, without locks in user code\n",
            "",
            {{"--version", "", "the version"}},
            [](const arguments& how) {
                if (how.has("--version")) return print_version({});
                return print_help(how);
            },
            last_words,
            {demo_command(),
             {"tour",
              "The pool, and the explorer on a lost wake-up, step by step",
              "",
              {},
              [](const arguments& /*how*/) { return weft::tour::run() ? success : failure; }},
             bench_command(),
             net_command(),
             mss_command(),
             sim_command(),
             doctor_command(),
             {"version", "The version", "", {json_option}, print_version},
             {"help", "This, or the help of a command", "[COMMAND...]", {}, print_help}}};
}

int print_help(const arguments& how) {
    std::fputs(help_of(all_commands(), how.plain()).c_str(), stdout);
    return success;
}

void complain(const std::string& what) { std::fprintf(stderr, "weft: %s\n", what.c_str()); }

} // namespace

int main(int count, char** arguments) {
    try {
        const std::span all{arguments, static_cast<std::size_t>(count)};
        const int code = run_command(all_commands(), all.empty() ? all : all.subspan(1));
        end_output();
        return code;
    } catch (const usage_error& error) {
        complain(error.what());
        return wrong_use;
    } catch (const std::exception& error) {
        complain(error.what());
        return failure;
    }
}
