#include "stage/table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace weft::demo {
namespace {

std::string three_digits(double value) {
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size >= 99.95) return fmt::format("{:.0f}", value);
    if (size >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

struct step {
    double least;
    std::string_view name;
};

/// The largest step that fits.
template <std::size_t Count>
std::string scaled(double value, const std::array<step, Count>& steps) {
    for (const step& each : steps) {
        if (std::abs(value) >= each.least) {
            return three_digits(value / each.least) + " " + std::string{each.name};
        }
    }
    return three_digits(value / steps.back().least) + " " + std::string{steps.back().name};
}

constexpr std::array<step, 4> seconds{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};

std::string ended_text(const act_report& report) {
    if (report.left_out) return "left out: its library was not found when weft was built";
    switch (report.ending) {
    case ending::completed: return "WRONG";
    case ending::failed: return "failed: " + report.reason;
    case ending::stalled: return "hangs: " + report.reason;
    case ending::too_long: return "stopped: " + report.reason;
    case ending::too_many_threads: return "stopped: " + report.reason;
    }
    return "";
}

std::string row_of(const workload& workload, const act_report& report) {
    const std::string_view mark = report.origin == side::ours ? ">" : " ";
    if (!report.completed() || !report.right()) {
        return fmt::format("{} {:<22} {}\n", mark, report.name, ended_text(report));
    }
    std::string row = fmt::format("{} {:<22} {:>17} {:>8} {:>8}  {}", mark, report.name,
                                  result_text(workload, report), report.threads, ratio_text(report),
                                  more_text(report));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
}

} // namespace

std::string heading_of(const workload& workload) {
    if (workload.figure == "seconds") return "time";
    if (workload.figure == "run_time") return "time of a run";
    if (workload.figure == "wait_p99") return "99th percentile";
    if (workload.figure == "cpu_percent") return "CPU time";
    return std::string{workload.unit};
}

std::string result_text(const workload& workload, const act_report& report) {
    if (!report.completed() || !report.right()) return ended_text(report);
    const auto value = report.value(workload.figure);
    return value ? in_words(*value, workload.unit) : "";
}

std::string more_text(const act_report& report) {
    std::string text;
    const auto add = [&](std::string_view figure, std::string_view label, std::string_view unit) {
        if (const auto value = report.value(figure)) {
            if (!text.empty()) text += ", ";
            text += fmt::format("{} {}", label, in_words(*value, unit));
        }
    };
    add("wait_median", "median", "µs");
    add("wait_max", "longest", "µs");
    add("variation", "variation", "");
    add("audits", "audits", "");
    add("busy", "threads at work", "%");
    add("run_p99", "99th percentile", "µs");
    add("graph_runs", "runs of the graph", "");
    add("steps", "steps", "");
    add("groups", "in concurrent groups", "");
    return text;
}

std::string ratio_text(const act_report& report) {
    return report.ratio ? three_digits(*report.ratio) + "×" : "";
}

std::string in_words(double value, std::string_view unit) {
    if (unit == "s") return scaled(value, seconds);
    if (unit == "µs") return scaled(value * 1e-6, seconds);
    if (unit.starts_with("%")) return three_digits(value) + " " + std::string{unit};
    if (unit.empty()) {
        return value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
    }
    static constexpr std::array<step, 3> counts{{{1e6, "M "}, {1e3, "k "}, {1, ""}}};
    const std::string_view suffix = unit.substr(unit.find('/') == unit.npos ? 0 : unit.find('/'));
    std::string text = scaled(value, counts);
    while (text.ends_with(' ')) text.pop_back();
    return text + std::string{suffix};
}

std::string table_of(const workload_report& report) {
    std::string text = fmt::format("\n{}\n{}\n", report.workload->title, report.workload->shows);
    text += fmt::format("  {:<22} {:>17} {:>8} {:>8}\n", "", heading_of(*report.workload),
                        "threads", "weft is");
    for (const act_report& each : report.acts) text += row_of(*report.workload, each);
    return text;
}

} // namespace weft::demo
