// weft doctor: what weft finds on this machine, and what is missing.
#include "commands.hpp"
#include "host.hpp"
#include "shell/files.hpp"

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

enum class verdict : std::uint8_t { good, without, bad }; // without: weft runs, but lacks it

struct finding {
    std::string name;
    std::string text;
    verdict result = verdict::good;
};

std::string_view name_of(verdict result) {
    if (result == verdict::good) return "good";
    return result == verdict::without ? "without" : "bad";
}

std::string counted(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

finding check_cpus() {
    const std::size_t allowed = sync::allowed_cpus().size();
    const std::size_t usable = usable_cpus();
    std::string text =
        fmt::format("{} usable: the affinity allows {}", usable, counted(allowed, "CPU"));
    if (usable < allowed) text += fmt::format(", the quota of the control group {}", usable);
    else text += ", and no control group limits them further";
    return {"CPUs", text};
}

finding check_topology() {
    const cpu_topology found = read_topology();
    if (found.cpus == 0) return {"topology", "the system does not report it", verdict::without};
    std::string text =
        fmt::format("{}, {}, {}", counted(found.packages, "package"), counted(found.cores, "core"),
                    counted(found.cpus, "hardware thread"));
    if (found.nodes > 0) text += ", " + counted(found.nodes, "memory node");
    return {"topology", text};
}

/// Nothing works without a pool.
finding check_pool() {
    try {
        pool workers{2};
        if (workers.run([] { return 42; }) == 42) return {"pool", "two workers ran a task"};
        return {"pool", "a task returned a wrong result", verdict::bad};
    } catch (const error& wrong) {
        return {"pool", wrong.what(), verdict::bad};
    }
}

finding check_io_uring() {
    if (const auto reason = io_uring_refusal()) {
        return {"io_uring", "not available: " + *reason + "; weft does not need it",
                verdict::without};
    }
    return {"io_uring", "available"};
}

finding check_membarrier() {
    if (has_membarrier()) return {"membarrier", "available: contracts are claimed in batches"};
    return {"membarrier", "not available: contracts are claimed one by one", verdict::without};
}

/// A program that the script ./weft needs; its package, and the group that tools/packages.txt
/// lists it in.
struct needed_program {
    std::string_view group;
    std::string_view package;
    std::string_view name;
};

constexpr needed_program needed_programs[] = {
#include "needed_programs.inc" // made of tools/packages.txt
};

finding check_programs(const char* name, const char* purpose, std::string_view group) {
    std::string missing;
    for (const needed_program& each : needed_programs) {
        if (each.group == group && !has_program(std::string(each.name)))
            missing += fmt::format(" {}", each.package);
    }
    if (missing.empty())
        return {name, fmt::format("everything that {} needs is installed", purpose)};
    return {name, fmt::format("{} would install:{}", purpose, missing), verdict::without};
}

finding check_demo() {
    std::string missing;
    for (const demo::workload& each : demo::workloads()) {
        for (const demo::act& act : each.acts) {
            if (act.run == nullptr) missing += fmt::format(" {}/{}", each.name, act.name);
        }
    }
    if (missing.empty()) return {"demo", "built with all libraries that it compares"};
    return {"demo", "built without:" + missing, verdict::without};
}

std::vector<finding> examine() {
    return {{"weft", fmt::format("{}, {}", version, compiler_text())},
            {"system", system_text()},
            {"processor", processor_text()},
            check_cpus(),
            check_topology(),
            check_pool(),
            check_membarrier(),
            check_io_uring(),
            check_demo(),
            check_programs("to build", "./weft demo", "build"),
            check_programs("to test", "./weft test", "test")};
}

int run(const arguments& request) {
    const std::vector<finding> all = examine();
    bool good = true;
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    std::string text;
    for (const finding& each : all) {
        good &= each.result != verdict::bad;
        findings.push_back(
            {{"name", each.name}, {"verdict", name_of(each.result)}, {"text", each.text}});
        const char* mark = each.result == verdict::good  ? " "
                           : each.result == verdict::bad ? "!"
                                                         : "-";
        text += fmt::format("{} {:<11} {}\n", mark, each.name, each.text);
    }
    text += good ? "\nweft works here. It also works without the features marked '-'.\n"
                 : "\nweft does not work here: see the lines marked '!'.\n";
    if (const auto file = request.value("--json")) {
        write_json(*file, {{"works", good}, {"findings", findings}});
    } else {
        write_whole_file("-", text);
    }
    return good ? success : failure;
}

} // namespace

command doctor_command() {
    return {"doctor",
            "Reports what weft finds on this machine, and what is missing",
            "",
            {json_option},
            run};
}

} // namespace weft::cli
