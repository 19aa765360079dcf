// weft sim: compares schedulers on simulated cores.
#include "arguments.hpp"

#include "sim/plot.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

namespace {

constexpr std::size_t most_cores = 4096;
constexpr std::array<std::string_view, 7> valued{"--policy", "--cores", "--load", "--seed",
                                                 "--leaf",   "--json",  "--svg"};
constexpr std::array<std::string_view, 1> flags{"--help"};

void print_usage() {
    std::printf(
        "usage: weft sim [--policy P,…] [--cores N,…] [--load LOAD,…] [--leaf NS] [--seed N]\n"
        "                [--json FILE] [--svg FILE]\n\n"
        "All policies otherwise, 1 to 1024 cores, balanced:14. FILE may be '-'.\nPolicies:");
    for (const sim::policy each : sim::all_policies())
        std::printf(" %s", std::string{sim::name_of(each)}.c_str());
    std::printf("\nLoads:\n%s", sim::load_names().c_str());
}

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= list.size();) {
        const auto comma = std::min(list.find(',', from), list.size());
        parts.push_back(list.substr(from, comma - from));
        from = comma + 1;
    }
    return parts;
}

std::vector<sim::policy> read_policies(const arguments& how) {
    const auto text = how.value("--policy");
    if (!text || *text == "all") return {sim::all_policies().begin(), sim::all_policies().end()};
    std::vector<sim::policy> policies;
    for (const std::string& each : parts_of(*text)) policies.push_back(sim::read_policy(each));
    return policies;
}

std::vector<std::size_t> read_cores(const arguments& how) {
    std::vector<std::size_t> cores;
    for (const std::string& each : parts_of(how.value("--cores").value_or("1,4,16,64,256,1024"))) {
        std::size_t count = 0;
        const auto [end, failed] = std::from_chars(each.data(), each.data() + each.size(), count);
        if (failed != std::errc{} || end != each.data() + each.size() || count < 1 ||
            count > most_cores) {
            throw usage_error{"--cores takes numbers from 1 to 4096, not '" + each + "'"};
        }
        cores.push_back(count);
    }
    return cores;
}

void print_table(const std::vector<sim::result>& all) {
    std::printf("%-16s %-8s %6s %14s %7s %12s %10s %10s %10s %8s\n", "load", "policy", "cores",
                "makespan µs", "ratio", "idle µs", "attempts", "moved", "plans", "p99 µs");
    for (const sim::result& each : all) {
        const auto micro = [](sim::time nano) { return static_cast<double>(nano) / 1e3; };
        std::printf("%-16s %-8s %6zu %13.1f %7.2f %11.1f %10llu %10llu %10llu %8.1f\n",
                    each.load.c_str(), std::string{sim::name_of(each.how)}.c_str(), each.cores,
                    micro(each.found.makespan), each.ratio(), micro(each.found.idle),
                    static_cast<unsigned long long>(each.found.attempts),
                    static_cast<unsigned long long>(each.found.moved),
                    static_cast<unsigned long long>(each.found.rebalances),
                    micro(each.found.latency_99));
    }
}

std::vector<sim::result> simulate_all(const arguments& how) {
    const std::uint64_t seed = how.number("--seed", 1, 0, ~std::uint64_t{0});
    const sim::time leaf = how.number("--leaf", 1000, 1, 1'000'000'000);
    std::vector<sim::result> all;
    for (const std::string& text : parts_of(how.value("--load").value_or("balanced:14"))) {
        const sim::load load = sim::read_load(text, leaf);
        for (const std::size_t cores : read_cores(how)) {
            const sim::work_law law = sim::measure(load, cores);
            for (const sim::policy each : read_policies(how)) {
                all.push_back(
                    {text, each, cores, seed, law, sim::simulate(load, cores, each, seed)});
            }
        }
    }
    return all;
}

} // namespace

int run_sim(std::span<const char* const> words) {
    const arguments how{words, valued, flags};
    if (how.has("--help")) {
        print_usage();
        return 0;
    }
    if (!how.plain().empty()) throw usage_error{"sim does not know '" + how.plain().front() + "'"};
    std::vector<sim::result> all;
    try {
        all = simulate_all(how);
    } catch (const std::invalid_argument& wrong) {
        throw usage_error{wrong.what()};
    }
    const auto json = how.value("--json");
    if (json) write_whole_file(*json, sim::json_of(all));
    if (const auto svg = how.value("--svg")) write_whole_file(*svg, sim::svg_of(all));
    if (!json || *json != "-") print_table(all);
    return 0;
}

} // namespace weft::cli
