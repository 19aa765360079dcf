// The benchmarks' program: see usage() in options.cpp.
#include "runner/measure.hpp"
#include "runner/options.hpp"
#include "runner/report.hpp"

#include <weft/pool.hpp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

constexpr int wrong_usage = 2;

void list_workloads() {
    for (const bench::workload& each : bench::workloads()) {
        std::cout << std::left << std::setw(20) << each.name << each.description << '\n';
    }
}

/// What the figures are to be read with.
void print_build() {
    std::cout << "compiled by " WEFT_BENCH_COMPILER ", " << weft::usable_cpus()
              << " usable CPUs\n\n";
}

void run_workloads(const bench::options& how) {
    // Opened first: a name that cannot be written to is better known before the work than after it.
    std::ofstream file;
    const bool to_output = how.json == "-"; // then the tables would be in the way
    if (!how.json.empty() && !to_output) {
        file.open(how.json);
        if (!file) throw std::runtime_error{"cannot write " + how.json};
    }
    if (!to_output) print_build();
    std::vector<bench::result> results;
    for (const bench::workload& each : how.workloads) {
        const auto some = bench::measure(each, how);
        if (!to_output) bench::print_table(std::cout, each, some);
        results.insert(results.end(), some.begin(), some.end());
    }
    if (how.json.empty()) return;
    std::ostream& to = to_output ? std::cout : file;
    bench::print_json(to, results);
    if (!to.flush()) throw std::runtime_error{"cannot write " + how.json};
}

} // namespace

int main(int count, char** arguments) {
    try {
        const std::span<char* const> words{arguments, static_cast<std::size_t>(count)};
        const bench::options how = bench::read_options(words.subspan(1));
        if (how.help) std::cout << bench::usage();
        else if (how.list) list_workloads();
        else run_workloads(how);
        return EXIT_SUCCESS;
    } catch (const bench::usage_error& wrong) {
        std::cerr << "weft bench: " << wrong.what() << '\n';
        return wrong_usage;
    } catch (const std::exception& failure) {
        std::cerr << "weft bench: " << failure.what() << '\n';
        return EXIT_FAILURE;
    }
}
