// weft doctor: what weft finds here, and what it misses.
#include "command.hpp"
#include "host.hpp"

#include "acts/act.hpp"

#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {
namespace {

enum class verdict : std::uint8_t { good, without, bad };

struct finding {
    std::string name;
    std::string text;
    verdict how = verdict::good;
};

std::string_view name_of(verdict how) {
    if (how == verdict::good) return "good";
    return how == verdict::without ? "without" : "bad";
}

std::string counted(std::size_t count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

finding look_at_cpus() {
    const std::size_t allowed = sync::allowed_cpus().size();
    const std::size_t usable = usable_cpus();
    std::string text =
        fmt::format("{} usable: the affinity allows {}", usable, counted(allowed, "CPU"));
    if (usable < allowed) text += fmt::format(", the control group's quota {}", usable);
    else text += ", no quota of a control group is smaller";
    return {"CPUs", text};
}

finding look_at_topology() {
    const cpu_topology found = read_topology();
    if (found.cpus == 0) return {"topology", "the system does not tell it", verdict::without};
    std::string text =
        fmt::format("{}, {}, {}", counted(found.packages, "package"), counted(found.cores, "core"),
                    counted(found.cpus, "hardware thread"));
    if (found.nodes > 0) text += ", " + counted(found.nodes, "memory node");
    return {"topology", text};
}

/// The one thing that nothing works without.
finding try_pool() {
    try {
        pool workers{2};
        if (workers.run([] { return 42; }) == 42) return {"pool", "two workers ran a task"};
        return {"pool", "a task returned something else", verdict::bad};
    } catch (const error& wrong) {
        return {"pool", wrong.what(), verdict::bad};
    }
}

finding look_at_io_uring() {
    if (const auto why = why_no_io_uring()) {
        return {"io_uring", "not here: " + *why + "; weft itself does without", verdict::without};
    }
    return {"io_uring", "available"};
}

finding look_at_membarrier() {
    if (has_membarrier()) return {"membarrier", "available: contracts are claimed in batches"};
    return {"membarrier", "not here: contracts are claimed one by one", verdict::without};
}

finding look_for(const char* name, const char* purpose, const std::vector<std::string>& programs) {
    std::string missing;
    for (const std::string& each : programs) {
        if (!has_program(each)) missing += " " + each;
    }
    if (missing.empty()) return {name, fmt::format("all that {} needs is here", purpose)};
    return {name, fmt::format("{} would install:{}", purpose, missing), verdict::without};
}

finding look_at_opponents() {
    std::string missing;
    for (const demo::workload& each : demo::workloads()) {
        for (const demo::act& act : each.acts) {
            if (act.run == nullptr) missing += fmt::format(" {}/{}", each.name, act.name);
        }
    }
    if (missing.empty()) return {"demo", "built with all libraries that it shows"};
    return {"demo", "built without:" + missing, verdict::without};
}

std::vector<finding> examine() {
    return {{"weft", fmt::format("{}, {}", version, compiler_text())},
            {"system", system_text()},
            {"processor", processor_text()},
            look_at_cpus(),
            look_at_topology(),
            try_pool(),
            look_at_membarrier(),
            look_at_io_uring(),
            look_at_opponents(),
            look_for("to build", "./weft demo", {"g++", "cmake", "ninja"}),
            look_for("to test", "./weft test",
                     {"python3", "ccache", "clang++-14", "clang++-19", "clang-format-19",
                      "clang-tidy-19", "chromium", "node", "npm", "valgrind"})};
}

int run(const arguments& how) {
    const std::vector<finding> all = examine();
    bool good = true;
    nlohmann::ordered_json told = nlohmann::ordered_json::array();
    std::string text;
    for (const finding& each : all) {
        good &= each.how != verdict::bad;
        told.push_back({{"name", each.name}, {"verdict", name_of(each.how)}, {"text", each.text}});
        const char* mark = each.how == verdict::good ? " " : each.how == verdict::bad ? "!" : "-";
        text += fmt::format("{} {:<11} {}\n", mark, each.name, each.text);
    }
    text += good ? "\nweft works here. A '-' is something that it can do without.\n"
                 : "\nweft does not work here: see the lines with '!'.\n";
    if (const auto file = how.value("--json")) {
        write_whole_file(
            *file, nlohmann::ordered_json{{"works", good}, {"findings", told}}.dump(1) + "\n");
    } else {
        write_whole_file("-", text);
    }
    return good ? success : failure;
}

} // namespace

command doctor_command() {
    return {
        "doctor", "What weft finds on this machine, and what is missing", "", {json_option}, run};
}

} // namespace weft::cli
