// weft sim: compares schedulers on simulated cores.
#include "calibrate.hpp"
#include "commands.hpp"
#include "real_run.hpp"
#include "shell/files.hpp"
#include "shell/progress.hpp"

#include "sim/plot.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_cores = 4096;

std::string names() {
    std::string text = "Policies:";
    for (const sim::policy each : sim::all_policies()) text.append(" ").append(sim::name_of(each));
    return text + "\nLoads:" + sim::load_names();
}

struct named_cost {
    std::string_view name;
    sim::time sim::costs::* member;
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

sim::costs read_costs(const arguments& request) {
    sim::costs read;
    if (!request.has("--costs")) return read;
    for (const std::string& each : request.list("--costs")) {
        const auto equals = std::min(each.find('='), each.size());
        const auto* found = std::ranges::find(cost_names, std::string_view{each}.substr(0, equals),
                                              &named_cost::name);
        const auto value = parse_number(
            std::string_view{each}.substr(std::min(equals + 1, each.size())), 0, 1'000'000'000);
        if (found == cost_names.end() || !value) {
            throw usage_error{
                "--costs takes pop, push, failed, steal, item, scan, plan, barrier and backoff in "
                "nanoseconds, as in pop=10,steal=300, not '" +
                each + "'"};
        }
        read.*found->member = *value;
    }
    // Time must pass between two tries, or they would never end.
    read.failed_try = std::max<sim::time>(1, read.failed_try);
    return read;
}

int print_calibration(const arguments& request) {
    const sim::costs found = calibrate(std::min<std::size_t>(usable_cpus(), 2));
    std::string text;
    json values = json::object();
    for (const named_cost& each : cost_names) {
        if (!text.empty()) text += ',';
        text += std::string{each.name} + "=" + std::to_string(found.*each.member);
        values[std::string{each.name}] = found.*each.member;
    }
    if (const auto file = request.value("--json")) write_json(*file, values);
    else std::printf("--costs %s\n", text.c_str());
    return success;
}

std::vector<sim::policy> read_policies(const arguments& request) {
    const auto text = request.value("--policy");
    if (!text || *text == "all") return {sim::all_policies().begin(), sim::all_policies().end()};
    std::vector<sim::policy> policies;
    for (const std::string& each : request.list("--policy"))
        policies.push_back(sim::read_policy(each));
    return policies;
}

std::vector<std::size_t> read_cores(const arguments& request, const char* fallback) {
    return request.numbers("--cores", fallback, 1, most_cores);
}

void print_table(const std::vector<sim::result>& all) {
    std::printf("%-16s %-8s %6s %14s %7s %12s %10s %10s %10s %8s\n", "load", "policy", "cores",
                "makespan µs", "ratio", "idle µs", "attempts", "moved", "plans", "p99 µs");
    for (const sim::result& each : all) {
        const auto micro = [](sim::time nano) { return static_cast<double>(nano) / 1e3; };
        std::printf("%-16s %-8s %6zu %13.1f %7.2f %11.1f %10llu %10llu %10llu %8.1f\n",
                    each.load.c_str(), std::string{sim::name_of(each.policy)}.c_str(), each.cores,
                    micro(each.found.makespan), each.ratio(), micro(each.found.idle),
                    static_cast<unsigned long long>(each.found.attempts),
                    static_cast<unsigned long long>(each.found.moved),
                    static_cast<unsigned long long>(each.found.rebalances),
                    micro(each.found.latency_99));
    }
}

std::vector<sim::result> simulate_all(const arguments& request) {
    const std::uint64_t seed = request.number("--seed", 1, 0, ~std::uint64_t{0});
    const sim::costs prices = read_costs(request);
    const sim::time leaf = request.number("--leaf", 1000, 1, 1'000'000'000);
    std::vector<sim::result> all;
    progress shown;
    for (const std::string& text : request.list("--load", "balanced:14")) {
        const sim::load load = sim::read_load(text, leaf);
        for (const std::size_t cores : read_cores(request, "1,4,16,64,256,1024")) {
            const sim::work_law law = sim::measure(load, cores);
            for (const sim::policy each : read_policies(request)) {
                shown.show([&] {
                    return text + " on " + std::to_string(cores) + " cores, " +
                           std::string{sim::name_of(each)};
                });
                all.push_back(
                    {text, each, cores, seed, law, sim::simulate(load, cores, each, seed, prices)});
            }
        }
    }
    return all;
}

/// One load in the simulator and in a real pool of the same size: medians of the times and of their
/// ratio. Costs are measured again for each pair, so that a change of the machine's speed affects
/// both.
json compare_one(const std::string& text, const sim::load& load, std::size_t workers,
                 sim::policy policy, std::size_t repeats) {
    std::vector<double> real;
    std::vector<double> cpu;
    std::vector<double> simulated;
    std::vector<double> ratio;
    std::vector<double> cpu_ratio;
    for (std::size_t each = 0; each != repeats; ++each) {
        const sim::costs prices = calibrate(workers);
        const double speed = measure_speed(workers);
        const real_time took = run_for_real(load, workers, policy, speed);
        real.push_back(took.makespan / 1e3);
        cpu.push_back(took.cpu / 1e3);
        simulated.push_back(
            static_cast<double>(sim::simulate(load, workers, policy, each + 1, prices).makespan) /
            1e3);
        ratio.push_back(simulated.back() / real.back());
        cpu_ratio.push_back(simulated.back() / cpu.back());
    }
    const auto median = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::ranges::nth_element(values, middle);
        return *middle;
    };
    return {{"load", text},
            {"policy", sim::name_of(policy)},
            {"workers", workers},
            {"pool_us", median(real)},
            {"pool_cpu_us", median(cpu)},
            {"simulated_us", median(simulated)},
            {"ratio", median(ratio)},
            {"ratio_of_cpu", median(cpu_ratio)}};
}

void print_comparison(const json& row) {
    std::printf("%-16s %-8s %7zu %13.1f %13.1f %15.1f %7.2f %9.2f\n",
                row["load"].get<std::string>().c_str(), row["policy"].get<std::string>().c_str(),
                row["workers"].get<std::size_t>(), row["pool_us"].get<double>(),
                row["pool_cpu_us"].get<double>(), row["simulated_us"].get<double>(),
                row["ratio"].get<double>(), row["ratio_of_cpu"].get<double>());
}

int compare(const arguments& request) {
    const std::size_t most = usable_cpus();
    const std::string workers = most > 1 ? "1,2" : "1";
    const std::size_t repeats = request.number("--repeat", 5, 1, 1000);
    const sim::time leaf = request.number("--leaf", 1000, 1, 1'000'000'000);
    const auto policies =
        request.has("--policy")
            ? read_policies(request)
            : std::vector{sim::policy::random, sim::policy::half, sim::policy::multi};
    const auto file = request.value("--json");
    json all = json::array();
    if (!file) {
        std::printf("%-16s %-8s %7s %14s %14s %16s %7s %9s\n", "load", "policy", "workers",
                    "pool µs", "pool CPU µs", "simulated µs", "ratio", "CPU ratio");
    }
    progress shown;
    try {
        for (const std::string& text :
             request.list("--load", "fibonacci:20,uts:2000,one-queue:32768")) {
            const sim::load load = sim::read_load(text, leaf);
            for (const std::size_t count : read_cores(request, workers.c_str())) {
                if (count > most) {
                    throw usage_error{"--compare takes no more workers than there are CPUs, " +
                                      std::to_string(most)};
                }
                for (const sim::policy each : policies) {
                    shown.show([&] { return text + ", " + std::string{sim::name_of(each)}; });
                    all.push_back(compare_one(text, load, count, each, repeats));
                    shown.end();
                    if (!file) print_comparison(all.back());
                }
            }
        }
    } catch (const std::invalid_argument& wrong) {
        throw usage_error{wrong.what()};
    }
    if (file) write_json(*file, all);
    return success;
}

int run_sim(const arguments& request) {
    if (request.has("--calibrate")) return print_calibration(request);
    if (request.has("--compare")) return compare(request);
    std::vector<sim::result> all;
    try {
        all = simulate_all(request);
    } catch (const std::invalid_argument& wrong) {
        throw usage_error{wrong.what()};
    }
    const auto file = request.value("--json");
    if (file) write_whole_file(*file, sim::json_of(all));
    if (const auto svg = request.value("--svg")) write_whole_file(*svg, sim::svg_of(all));
    if (!file || *file != "-") print_table(all);
    return success;
}

} // namespace

command sim_command() {
    return {"sim",
            "Compares stealing policies on up to 4096 simulated cores",
            "",
            {{"--policy", "P,...", "the stealing policies to compare; default all"},
             {"--cores", "N,...", "the numbers of cores; default 1,4,16,64,256,1024"},
             {"--load", "LOAD,...", "the loads to run; default balanced:14"},
             {"--leaf", "NS", "the length of a leaf task in nanoseconds; default 1000"},
             {"--seed", "N", "the seed of random choices; default 1"},
             {"--costs", "NAME=NS,...",
              "replaces default costs, in nanoseconds; --calibrate measures them"},
             {"--svg", "FILE", "draws the results as an SVG file"},
             {"--calibrate", "", "measures the costs of the real pool, and prints them"},
             {"--compare", "", "runs the loads in the real pool too, and compares the times"},
             {"--repeat", "N", "runs of each comparison, of which the median counts; default 5"},
             json_option},
            run_sim,
            names};
}

} // namespace weft::cli
