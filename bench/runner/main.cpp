// The benchmarks' program. ./weft bench builds and runs it.
#include "runner/measure.hpp"
#include "runner/options.hpp"
#include "runner/report.hpp"

#include "shell/command.hpp"
#include "shell/files.hpp"

#include <weft/pool.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using weft::cli::arguments;

std::string list_of_workloads() {
    std::string text;
    for (const bench::workload& each : bench::workloads()) {
        text += fmt::format("{:<20}{}\n", each.name, each.description);
    }
    return text;
}

void run_workloads(const bench::options& options) {
    const bool has_tables = options.json != "-"; // they would be in the way of the JSON
    if (options.json) weft::cli::require_writable(*options.json);
    if (has_tables) {
        weft::cli::print_now(fmt::format("compiled by " WEFT_BENCH_COMPILER ", {} usable CPUs\n\n",
                                         weft::usable_cpus()));
    }
    std::vector<bench::result> results;
    for (const bench::workload& each : options.workloads) {
        const auto measured = bench::measure(each, options);
        if (has_tables) weft::cli::print_now(bench::table_text(each, measured));
        results.insert(results.end(), measured.begin(), measured.end());
    }
    if (options.json) weft::cli::write_whole_file(*options.json, bench::json_text(results));
}

int run(const arguments& request) {
    if (request.has("--list")) weft::cli::write_whole_file("-", list_of_workloads());
    else run_workloads(bench::read_options(request));
    return weft::cli::success;
}

std::string closing_help() {
    return "WORKLOAD is 'all', or some of these:\n" + list_of_workloads();
}

} // namespace

int main(int count, char** words) {
    return weft::cli::run_program({"weft bench",
                                   "Measures weft and other libraries on the same workloads\n",
                                   "WORKLOAD...", bench::known_options(), run, closing_help},
                                  count, words);
}
