#include "stage/wire.hpp"

#include "stage/table.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace weft::demo {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(side origin) {
    switch (origin) {
    case side::today: return "today";
    case side::good: return "good";
    case side::ours: return "weft";
    }
    return "";
}

json curves_of(const std::vector<series>& all) {
    json made = json::array();
    for (const series& each : all) made.push_back({{"name", each.name}, {"points", each.points}});
    return made;
}

json figures_of(const std::vector<figure>& all) {
    json made = json::array();
    for (const figure& each : all) {
        made.push_back({{"name", each.name}, {"value", each.value}, {"unit", each.unit}});
    }
    return made;
}

json checks_of(const std::vector<check>& all) {
    json made = json::array();
    for (const check& each : all) made.push_back({{"what", each.claim}, {"holds", each.holds}});
    return made;
}

json act_of(const workload& workload, const act_report& report) {
    json made{{"name", report.name},
              {"by", name_of(report.origin)},
              {"about", report.about},
              {"ending", report.left_out ? "left out" : std::string{demo::name_of(report.ending)}},
              {"reason", report.reason},
              {"right", report.right()},
              {"runs", report.runs},
              {"threads", report.threads},
              {"memory", report.memory},
              {"cpu_seconds", report.cpu_seconds},
              {"result", result_text(workload, report)},
              {"more", more_text(report)},
              {"ratio", nullptr},
              {"ratio_text", ratio_text(report)},
              {"figures", figures_of(report.result.figures)},
              {"checks", checks_of(report.result.checks)},
              {"curves", curves_of(report.result.curves)},
              {"drawing", report.result.drawing}};
    if (report.ratio) made["ratio"] = *report.ratio;
    return made;
}

json workload_of(const workload_report& report) {
    json acts = json::array();
    for (const act_report& each : report.acts) acts.push_back(act_of(*report.workload, each));
    return {{"name", report.workload->name},
            {"title", report.workload->title},
            {"shows", report.workload->shows},
            {"figure", report.workload->figure},
            {"unit", report.workload->unit},
            {"heading", heading_of(*report.workload)},
            {"more_is_better", report.workload->more_is_better},
            {"acts", acts},
            {"scaling", curves_of(report.scaling)}};
}

} // namespace

std::string write_outcome(const outcome& result) {
    return json{{"figures", figures_of(result.figures)},
                {"checks", checks_of(result.checks)},
                {"curves", curves_of(result.curves)},
                {"drawing", result.drawing}}
        .dump();
}

outcome read_outcome(const std::string& text) {
    try {
        const json read = json::parse(text);
        outcome result;
        for (const json& each : read.at("figures")) {
            result.figures.push_back({each.at("name"), each.at("value"), each.at("unit")});
        }
        for (const json& each : read.at("checks")) {
            result.checks.push_back({each.at("what"), each.at("holds")});
        }
        for (const json& each : read.at("curves")) {
            result.curves.push_back({each.at("name"), each.at("points")});
        }
        result.drawing = read.at("drawing");
        return result;
    } catch (const json::exception& wrong) {
        throw std::runtime_error{std::string{"an act returned no valid result: "} + wrong.what()};
    }
}

std::string write_report(const show_report& all, const machine& machine) {
    json made{{"weft", machine.weft},           {"compiler", machine.compiler},
              {"processor", machine.processor}, {"system", machine.system},
              {"cpus", machine.cpus},           {"threads", all.settings.threads},
              {"quick", all.settings.quick},    {"seconds", all.seconds},
              {"holds", all.broken.empty()},    {"broken", all.broken},
              {"workloads", json::array()}};
    for (const workload_report& each : all.workloads) {
        made["workloads"].push_back(workload_of(each));
    }
    return made.dump(1) + "\n";
}

} // namespace weft::demo
