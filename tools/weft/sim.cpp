// weft sim: compares schedulers on simulated cores.
#include "arguments.hpp"
#include "calibrate.hpp"

#include "sim/plot.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

namespace {

constexpr std::size_t most_cores = 4096;
constexpr std::array<std::string_view, 8> valued{"--policy", "--cores", "--load", "--seed",
                                                 "--leaf",   "--json",  "--svg",  "--costs"};
constexpr std::array<std::string_view, 2> flags{"--help", "--calibrate"};

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

struct named_cost {
    std::string_view name;
    sim::time sim::costs::* where;
};
constexpr std::array<named_cost, 9> cost_names{{{"pop", &sim::costs::pop},
                                                {"push", &sim::costs::push},
                                                {"failed", &sim::costs::failed_try},
                                                {"steal", &sim::costs::steal},
                                                {"item", &sim::costs::per_item},
                                                {"scan", &sim::costs::scan},
                                                {"plan", &sim::costs::plan},
                                                {"barrier", &sim::costs::barrier},
                                                {"backoff", &sim::costs::most_backoff}}};

sim::costs read_costs(const arguments& how) {
    sim::costs read;
    const auto text = how.value("--costs");
    if (!text) return read;
    for (const std::string& each : parts_of(*text)) {
        const auto equals = std::min(each.find('='), each.size());
        const auto* found = std::ranges::find(cost_names, std::string_view{each}.substr(0, equals),
                                              &named_cost::name);
        sim::time value = 0;
        const char* end = each.data() + each.size();
        const char* begin = each.data() + std::min(equals + 1, each.size());
        const auto [rest, failed] = std::from_chars(begin, end, value);
        if (found == cost_names.end() || failed != std::errc{} || rest != end ||
            value > 1'000'000'000) {
            throw usage_error{
                "--costs takes pop, push, failed, steal, item, scan, plan, barrier and backoff in "
                "nanoseconds, as in pop=10,steal=300, not '" +
                each + "'"};
        }
        read.*found->where = value;
    }
    // Time must pass between two tries, or they would never end.
    read.failed_try = std::max<sim::time>(1, read.failed_try);
    return read;
}

int print_calibration() {
    const sim::costs found = calibrate();
    std::string text;
    for (const named_cost& each : cost_names) {
        if (!text.empty()) text += ',';
        text += std::string{each.name} + "=" + std::to_string(found.*each.where);
    }
    std::printf("--costs %s\n", text.c_str());
    return 0;
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
    const sim::costs prices = read_costs(how);
    const sim::time leaf = how.number("--leaf", 1000, 1, 1'000'000'000);
    std::vector<sim::result> all;
    for (const std::string& text : parts_of(how.value("--load").value_or("balanced:14"))) {
        const sim::load load = sim::read_load(text, leaf);
        for (const std::size_t cores : read_cores(how)) {
            const sim::work_law law = sim::measure(load, cores);
            for (const sim::policy each : read_policies(how)) {
                all.push_back(
                    {text, each, cores, seed, law, sim::simulate(load, cores, each, seed, prices)});
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
    if (how.has("--calibrate")) return print_calibration();
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
