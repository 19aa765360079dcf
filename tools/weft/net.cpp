// weft net: runs Petri nets, and analyses their state spaces.
#include "commands.hpp"
#include "shell/files.hpp"
#include "shell/nearest.hpp"
#include "shell/progress.hpp"
#include "shell/stopwatch.hpp"

#include "models/builtin.hpp"
#include "models/web_assets.hpp"
#include <weft/lab/analysis.hpp>
#include <weft/lab/invariants.hpp>
#include <weft/lab/pnml.hpp>
#include <weft/lab/runs.hpp>
#include <weft/lab/simulation.hpp>
#include <weft/lab/web_page.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft::cli {

namespace {

using json = nlohmann::ordered_json;

std::string builtin_help() {
    std::string text = "NET is a PNML file or one of these:";
    for (const models::builtin_name& each : models::builtin_names()) {
        text += fmt::format("\n  {:<28}  {}", each.pattern, each.summary);
    }
    return text;
}

std::string read_net_file(const std::string& name) {
    try {
        return read_whole_file(name);
    } catch (const std::runtime_error& wrong) {
        std::vector<std::string> known;
        for (const models::builtin_name& each : models::builtin_names()) {
            known.push_back(each.pattern.substr(0, each.pattern.find(':')));
        }
        throw std::runtime_error{wrong.what() + std::string{", and no built-in net has this name"} +
                                 nearest_text(name.substr(0, name.find(':')), known)};
    }
}

petri::net find_net(const std::string& name) {
    try {
        if (auto found = models::builtin(name)) return std::move(*found);
    } catch (const petri::error& wrong) {
        throw usage_error{wrong.what()};
    }
    const std::string text = read_net_file(name);
    try {
        return petri::read_pnml(text);
    } catch (const petri::error& wrong) {
        throw petri::error{wrong.code(), name + ": " + wrong.what()};
    }
}

void print_marking(const petri::net& net, const petri::marking& marking) {
    for (petri::place_index each = 0; each != net.places().size(); ++each) {
        std::printf("  %-12s  %s\n", net.places()[each].name.c_str(),
                    net.content_text(each, marking[each]).c_str());
    }
}

json marking_json(const petri::net& net, const petri::marking& marking) {
    json made = json::object();
    for (petri::place_index each = 0; each != net.places().size(); ++each) {
        made[net.places()[each].name] = net.content_text(each, marking[each]);
    }
    return made;
}

json trace_json(const petri::trace& trace) {
    json steps = json::array();
    for (const auto& step : trace.steps) {
        json fired = json::array();
        for (const auto& each : step) fired.push_back(each.transition);
        steps.push_back(fired);
    }
    return steps;
}

int run(petri::net& net, const arguments& request) {
    petri::simulation simulation{net, request.number("--seed", 1, 0, ~std::uint64_t{0})};
    const auto file = request.value("--json");
    const bool quiet = request.has("--quiet") || file;
    simulation.watch([&](const petri::simulation& now, const auto& step) {
        if (quiet) return true;
        std::printf("%5zu  ", now.steps());
        for (const auto& each : step)
            std::printf("%s  ", net.transitions()[each.transition].name.c_str());
        std::puts("");
        return true;
    });
    const auto rule =
        request.has("--a-priori") ? petri::step_rule::a_priori : petri::step_rule::strict;
    if (const auto trace = request.value("--replay")) {
        simulation.replay(petri::read_trace(read_whole_file(*trace)), rule);
    } else {
        simulation.run(request.number("--steps", 1000, 1, 100'000'000), request.has("--concurrent"),
                       rule);
    }
    if (const auto trace = request.value("--save"))
        write_whole_file(*trace, petri::write_trace(simulation.taken()));
    if (file) {
        const json result{{"net", net.name()},
                          {"steps", trace_json(simulation.taken())},
                          {"ended", simulation.enabled().empty()},
                          {"marking", marking_json(net, simulation.now())}};
        write_json(*file, result);
        return success;
    }
    std::printf("after %zu steps%s:\n", simulation.steps(),
                simulation.enabled().empty() ? ", where nothing is enabled" : "");
    print_marking(net, simulation.now());
    return success;
}

void print_invariants(const petri::net& net) {
    const auto flow = petri::incidence(net);
    if (!flow) return;
    const auto places = petri::place_invariants(*flow);
    const auto transitions = petri::transition_invariants(*flow);
    constexpr std::size_t most = 12;
    std::printf("invariants of places       %s%zu\n", places.complete ? "" : "more than ",
                places.vectors.size());
    for (std::size_t each = 0; each != std::min(places.vectors.size(), most); ++each) {
        std::printf("  %s\n", petri::place_invariant_text(net, places.vectors[each]).c_str());
    }
    std::printf("invariants of transitions  %s%zu\n", transitions.complete ? "" : "more than ",
                transitions.vectors.size());
    for (std::size_t each = 0; each != std::min(transitions.vectors.size(), most); ++each) {
        std::printf("  %s\n",
                    petri::transition_invariant_text(net, transitions.vectors[each]).c_str());
    }
}

void print_runs(const petri::state_space& all) {
    const auto lengths = petri::runs_of(all, [](petri::transition_index) { return 1; });
    std::printf("complete runs         %s, of %llu to %llu steps\n",
                lengths.count ? std::to_string(*lengths.count).c_str() : "more than fit in 64 bits",
                static_cast<unsigned long long>(lengths.weight.least),
                static_cast<unsigned long long>(lengths.weight.most));
}

void print_way(const petri::state_space& all, std::uint32_t target, const char* title) {
    const auto way = all.firings_to(target);
    std::printf("%s, after %zu firings:\n", title, way.steps.size());
    constexpr std::size_t most = 40;
    for (std::size_t each = 0; each != std::min(way.steps.size(), most); ++each) {
        std::printf("  %s\n", way.steps[each].front().transition.c_str());
    }
    if (way.steps.size() > most) std::puts("  …");
}

json report_json(const petri::net& net, const petri::state_space& all, const petri::report& about) {
    const auto names = [&](const std::vector<petri::transition_index>& transitions) {
        json made = json::array();
        for (const auto each : transitions) made.push_back(net.transitions()[each].name);
        return made;
    };
    json bounds = json::object();
    for (petri::place_index each = 0; each != net.places().size(); ++each) {
        const petri::bounds& one = about.place_bounds[each];
        bounds[net.places()[each].name] = {one.least, one.most};
    }
    json result{{"components", about.components},
                {"terminal_components", about.terminal_components},
                {"acyclic", about.acyclic},
                {"bounds", bounds},
                {"dead_markings", about.dead_markings.size()},
                {"home_markings", about.home_markings},
                {"dead_transitions", names(about.dead_transitions)},
                {"live_transitions", names(about.live_transitions)}};
    if (!about.dead_markings.empty()) {
        result["way_to_a_dead_marking"] = trace_json(all.firings_to(about.dead_markings.front()));
    }
    return result;
}

int write_space_json(const std::string& file, const petri::net& net, const petri::state_space& all,
                     double seconds) {
    json result{{"net", net.name()},      {"complete", all.complete()},
                {"reason", all.reason()}, {"markings", all.markings()},
                {"arcs", all.arcs()},     {"seconds", seconds},
                {"bytes", all.bytes()}};
    if (all.complete()) result.update(report_json(net, all, petri::analyse(all)));
    else if (all.witness()) result["witness"] = trace_json(all.firings_to(*all.witness()));
    write_json(file, result);
    return all.complete() ? success : failure;
}

int space(petri::net& net, const arguments& request) {
    petri::space_options options;
    options.most_markings = request.number("--limit", options.most_markings, 1, 4'000'000'000);
    options.most_bytes = request.number("--memory", options.most_bytes >> 20U, 1, 1U << 20U) << 20U;
    progress shown;
    options.progress = [&](std::uint64_t markings, std::uint64_t arcs) {
        shown.show([&] {
            return fmt::format("{:.1f} million markings, {:.1f} million arcs",
                               static_cast<double>(markings) / 1e6,
                               static_cast<double>(arcs) / 1e6);
        });
    };
    const stopwatch watch;
    const auto all = petri::explore(net, options);
    const double seconds = watch.seconds();
    shown.end();
    if (const auto file = request.value("--json")) {
        return write_space_json(*file, net, all, seconds);
    }
    std::printf("explored in           %.3f s, %.2f million markings per second, %zu MiB\n",
                seconds, all.markings() / seconds / 1e6, all.bytes() >> 20U);
    if (!all.complete()) {
        std::printf("not complete          %s; %u markings and %llu arcs so far\n",
                    all.reason().c_str(), all.markings(),
                    static_cast<unsigned long long>(all.arcs()));
        if (all.witness()) print_way(all, *all.witness(), "a marking that shows it");
        return failure;
    }
    const auto about = petri::analyse(all);
    std::printf("%s", petri::report_text(all, about).c_str());
    if (about.acyclic) print_runs(all);
    print_invariants(net);
    if (!about.dead_markings.empty())
        print_way(all, about.dead_markings.front(), "the first dead marking");
    return success;
}

/// Writes the file, and tells of it as JSON if that is wanted.
int write_output(const petri::net& net, const arguments& request, const std::string& text) {
    const std::string output = request.value("--output").value_or("-");
    const auto file = request.value("--json");
    if (file == "-" && output == "-") {
        throw usage_error{"standard output cannot be both the JSON and the output; see --output"};
    }
    write_whole_file(output, text);
    if (file) {
        write_json(*file, {{"net", net.name()}, {"output", output}, {"bytes", text.size()}});
    }
    return success;
}

int page(petri::net& net, const arguments& request) {
    petri::web_page_options options;
    if (const auto file = request.value("--replay"))
        options.shown = petri::read_trace(read_whole_file(*file));
    // Not of a file that only has this name.
    if (request.plain().front().starts_with("mss:")) options.script = models::multi_stealing_script;
    return write_output(net, request, petri::web_page(net, options));
}

int pnml(petri::net& net, const arguments& request) {
    const std::uint64_t most = request.number("--limit", 100'000, 1, 4'000'000'000);
    return write_output(net, request,
                        net.is_plain() ? petri::write_pnml(net)
                                       : petri::write_pnml_tables(net, most));
}

int list(const arguments& request) {
    const auto file = request.value("--json");
    if (!file) {
        std::printf("%s\n", builtin_help().c_str());
        return success;
    }
    json all = json::array();
    for (const models::builtin_name& each : models::builtin_names()) {
        all.push_back({{"pattern", each.pattern}, {"about", each.summary}});
    }
    write_json(*file, all);
    return success;
}

/// A command whose only argument is a net.
command with_net(const std::string& name, const char* about, std::vector<option> options,
                 int (*run_net)(petri::net&, const arguments&)) {
    const auto run_found = [name, run_net](const arguments& request) {
        if (request.plain().size() != 1) {
            throw usage_error{"net " + name + " takes one net; see weft net --help"};
        }
        petri::net net = find_net(request.plain().front());
        return run_net(net, request);
    };
    return {name, about, "NET", std::move(options), run_found, builtin_help};
}

} // namespace

command net_command() {
    const option replay{"--replay", "TRACE", "replays the steps of a trace file"};
    const option output{"--output", "FILE", "the file to write; default standard output"};
    return {
        "net",
        "Runs, draws and analyses Petri nets",
        "",
        {},
        nullptr,
        builtin_help,
        {with_net("run", "Fires transitions, at random or as a trace says",
                  {{"--seed", "N", "the seed of random choices; default 1"},
                   {"--steps", "N", "stops after N steps; default 1000"},
                   {"--concurrent", "", "fires several transitions in one step where it can"},
                   {"--a-priori", "", "read and inhibitor arcs test the marking before the step"},
                   replay,
                   {"--save", "TRACE", "writes the steps to a trace file"},
                   {"--quiet", "", "prints only the last marking"},
                   json_option},
                  run),
         with_net(
             "space", "Explores every reachable marking, and reports properties",
             {{"--limit", "MARKINGS", "gives up beyond this number of markings; default 200000000"},
              {"--memory", "MIB", "gives up beyond this much memory; default 4096"},
              json_option},
             space),
         with_net("page", "Writes an HTML page on which the net can be played",
                  {replay, output, json_option}, page),
         with_net("pnml", "Writes the net as PNML, with tables for the functions of coloured nets",
                  {output,
                   {"--limit", "MARKINGS",
                    "gives up on a coloured net with more markings; default 100000"},
                   json_option},
                  pnml),
         {"list", "Lists the built-in nets", "", {json_option}, list}}};
}

} // namespace weft::cli
