#include "runner/report.hpp"

#include "shell/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace bench {
namespace {

using json = nlohmann::ordered_json;
using weft::cli::align;
using weft::cli::four_digits;

const sample* find_metric(const result& result, std::string_view metric) {
    const auto found = std::ranges::find(result.medians, metric, &sample::metric);
    return found == result.medians.end() ? nullptr : &*found;
}

/// The parameters of the problem, then those of the library.
parameters all_parameters(const result& result) {
    parameters all = result.problem;
    all.insert(all.end(), result.limits.begin(), result.limits.end());
    return all;
}

std::string parameters_text(const result& result) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : all_parameters(result)) {
        parts.push_back(std::visit(
            [&](const auto& known) { return fmt::format("{}={}", name, known); }, value));
    }
    return fmt::format("{}", fmt::join(parts, " "));
}

json parameters_json(const result& result) {
    json made = json::object();
    for (const auto& [name, value] : all_parameters(result)) {
        std::visit([&](const auto& known) { made[name] = known; }, value);
    }
    return made;
}

/// The ratio of the times for the same problem; if the library solved a smaller one, of the times
/// for a task.
std::string ratio_to_serial(const std::vector<result>& results, const result& compared) {
    const auto ratio = [&](const result& serial, std::string_view metric) -> std::string {
        const sample* own = find_metric(compared, metric);
        const sample* reference = find_metric(serial, metric);
        if (own == nullptr || reference == nullptr) return {};
        return four_digits(own->value / reference->value);
    };
    std::string by_task;
    for (const result& each : results) {
        if (each.library != serial_library) continue;
        if (each.problem == compared.problem) return ratio(each, "seconds");
        if (by_task.empty()) by_task = ratio(each, "ns_per_task");
    }
    return by_task;
}

std::vector<sample> metrics_of(const std::vector<result>& results) {
    std::vector<sample> metrics;
    for (const result& each : results) {
        for (const sample& one : each.medians) {
            if (std::ranges::find(metrics, one.metric, &sample::metric) == metrics.end()) {
                metrics.push_back(one);
            }
        }
    }
    return metrics;
}

/// The name of the metric, with the unit unless it says so itself.
std::string heading_of(const sample& metric) {
    const bool has_unit = metric.metric.find("seconds") != std::string::npos ||
                          metric.metric.starts_with(metric.unit);
    return has_unit ? metric.metric : metric.metric + "_" + metric.unit;
}

} // namespace

std::string table_text(const workload& measured, const std::vector<result>& results) {
    const std::vector<sample> metrics = metrics_of(results);
    const bool has_serial =
        std::ranges::find(results, serial_library, &result::library) != results.end();
    std::vector<weft::cli::column> columns{
        {"lib", align::left}, {"threads"}, {"params", align::left}};
    for (const sample& each : metrics) columns.push_back({heading_of(each)});
    if (has_serial) columns.push_back({"x serial"});

    weft::cli::table made{std::move(columns)};
    for (const result& each : results) {
        std::vector<std::string> cells{each.library, std::to_string(each.threads),
                                       parameters_text(each)};
        for (const sample& metric : metrics) {
            const sample* found = find_metric(each, metric.metric);
            cells.push_back(found != nullptr ? four_digits(found->value) : "");
        }
        if (has_serial) cells.push_back(ratio_to_serial(results, each));
        made.add(std::move(cells));
    }
    return fmt::format("{}: {}; medians of {} runs\n{}\n", measured.name, measured.description,
                       results.front().runs, made.text());
}

std::string json_text(const std::vector<result>& results) {
    std::vector<std::string> lines;
    for (const result& each : results) {
        for (const sample& median : each.medians) {
            const json line{{"workload", each.workload}, {"params", parameters_json(each)},
                            {"lib", each.library},       {"threads", each.threads},
                            {"metric", median.metric},   {"value", median.value},
                            {"unit", median.unit},       {"runs", each.runs}};
            lines.push_back("  " + line.dump());
        }
    }
    return fmt::format("[\n{}\n]\n", fmt::join(lines, ",\n"));
}

} // namespace bench
