#include "stage/wire.hpp"

#include "stage/table.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace weft::demo {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(side which) {
    switch (which) {
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
    for (const check& each : all) made.push_back({{"what", each.what}, {"holds", each.holds}});
    return made;
}

json act_of(const workload& what, const act_report& of) {
    json made{{"name", of.name},
              {"by", name_of(of.by)},
              {"about", of.about},
              {"ending", of.left_out ? "left out" : std::string{demo::name_of(of.how)}},
              {"why", of.why},
              {"right", of.right()},
              {"runs", of.runs},
              {"threads", of.threads},
              {"memory", of.memory},
              {"cpu_seconds", of.cpu_seconds},
              {"result", result_text(what, of)},
              {"more", more_text(of)},
              {"ratio", nullptr},
              {"ratio_text", ratio_text(of)},
              {"figures", figures_of(of.told.figures)},
              {"checks", checks_of(of.told.checks)},
              {"curves", curves_of(of.told.curves)}};
    if (of.ratio) made["ratio"] = *of.ratio;
    return made;
}

json workload_of(const workload_report& of) {
    json acts = json::array();
    for (const act_report& each : of.acts) acts.push_back(act_of(*of.what, each));
    return {{"name", of.what->name},
            {"title", of.what->title},
            {"shows", of.what->shows},
            {"figure", of.what->figure},
            {"unit", of.what->unit},
            {"heading", heading_of(*of.what)},
            {"more_is_better", of.what->more_is_better},
            {"acts", acts},
            {"scaling", curves_of(of.scaling)}};
}

} // namespace

std::string write_outcome(const outcome& told) {
    return json{{"figures", figures_of(told.figures)},
                {"checks", checks_of(told.checks)},
                {"curves", curves_of(told.curves)}}
        .dump();
}

outcome read_outcome(const std::string& text) {
    try {
        const json read = json::parse(text);
        outcome told;
        for (const json& each : read.at("figures")) {
            told.figures.push_back({each.at("name"), each.at("value"), each.at("unit")});
        }
        for (const json& each : read.at("checks")) {
            told.checks.push_back({each.at("what"), each.at("holds")});
        }
        for (const json& each : read.at("curves")) {
            told.curves.push_back({each.at("name"), each.at("points")});
        }
        return told;
    } catch (const json::exception& wrong) {
        throw std::runtime_error{std::string{"an act told what nobody understands: "} +
                                 wrong.what()};
    }
}

std::string write_report(const show_report& all, const machine& here) {
    json made{{"weft", here.weft},      {"compiler", here.compiler}, {"processor", here.processor},
              {"system", here.system},  {"cpus", here.cpus},         {"threads", all.how.threads},
              {"quick", all.how.quick}, {"seconds", all.seconds},    {"holds", all.broken.empty()},
              {"broken", all.broken},   {"workloads", json::array()}};
    for (const workload_report& each : all.workloads) {
        made["workloads"].push_back(workload_of(each));
    }
    return made.dump(1) + "\n";
}

} // namespace weft::demo
