#include "runner/options.hpp"

#include "shell/nearest.hpp"

#include <weft/pool.hpp>

#include <algorithm>

namespace bench {
namespace {

const workload& find_workload(const std::string& name) {
    const auto& all = workloads();
    const auto found = std::ranges::find(all, name, &workload::name);
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const workload& each : all) names.emplace_back(each.name);
    throw weft::cli::usage_error{"there is no workload '" + name + "'" +
                                 weft::cli::nearest_text(name, names) + " (see --list)"};
}

std::vector<std::size_t> read_threads(const weft::cli::arguments& arguments) {
    std::vector<std::size_t> counts;
    if (!arguments.has("--threads")) return counts;
    for (const std::size_t each : arguments.numbers("--threads", "", 1, most_threads)) {
        if (std::ranges::find(counts, each) == counts.end()) counts.push_back(each);
    }
    return counts;
}

std::vector<workload> read_workloads(const weft::cli::arguments& arguments) {
    std::vector<workload> chosen;
    for (const std::string& each : arguments.plain()) {
        if (each == "all") chosen = workloads();
        else chosen.push_back(find_workload(each));
    }
    if (chosen.empty()) {
        throw weft::cli::usage_error{"name a workload; --list prints them, 'all' runs them all"};
    }
    return chosen;
}

std::vector<std::size_t> default_threads() {
    const std::size_t usable = std::min(weft::usable_cpus(), most_threads);
    return usable == 1 ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, usable};
}

} // namespace

std::vector<std::size_t> threads_for(const workload& measured, const options& options) {
    if (!options.threads.empty()) return options.threads;
    return measured.threads.empty() ? default_threads() : measured.threads;
}

std::vector<weft::cli::option> known_options() {
    return {{"--threads", "N,...",
             "numbers of threads, up to " + std::to_string(most_threads) +
                 "; default 1 and the usable CPUs, for most workloads"},
            {"--repeat", "N", "runs of each, of which the median counts; default 5 to 15"},
            {"--full", "", "measures every size, the same sizes for all libraries"},
            {"--list", "", "prints the workloads"},
            weft::cli::json_option};
}

options read_options(const weft::cli::arguments& arguments) {
    return {.full = arguments.has("--full"),
            .repeats = arguments.number("--repeat", 0, 1, 1000),
            .threads = read_threads(arguments),
            .json = arguments.value("--json"),
            .workloads = read_workloads(arguments)};
}

} // namespace bench
