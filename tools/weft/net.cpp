// weft net: runs nets, and tells of all they can do.
#include "arguments.hpp"
#include "sync/clock.hpp"

#include "models/builtin.hpp"
#include "models/web_assets.hpp"
#include "petri/analysis.hpp"
#include "petri/invariants.hpp"
#include "petri/pnml.hpp"
#include "petri/runs.hpp"
#include "petri/simulation.hpp"
#include "petri/web_page.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace weft::cli {

namespace {

constexpr std::array<std::string_view, 7> valued{"--seed",  "--steps",  "--replay", "--save",
                                                 "--limit", "--memory", "--output"};
constexpr std::array<std::string_view, 4> flags{"--concurrent", "--a-priori", "--help", "--quiet"};

void print_usage() {
    std::puts("usage: weft net run NET [--seed N] [--steps N] [--concurrent [--a-priori]]\n"
              "                        [--replay TRACE] [--save TRACE] [--quiet]\n"
              "       weft net space NET [--limit MARKINGS] [--memory MIB]\n"
              "       weft net page NET [--replay TRACE] [--output FILE]\n"
              "       weft net pnml NET [--output FILE]\n"
              "       weft net list\n"
              "\n"
              "NET is a PNML file or one of these:\n");
    for (const models::builtin_name& each : models::builtin_names()) {
        std::printf("  %-28s  %s\n", each.pattern.c_str(), each.about.c_str());
    }
}

petri::net find_net(const std::string& name) {
    if (auto found = models::builtin(name)) return std::move(*found);
    try {
        return petri::read_pnml(read_whole_file(name));
    } catch (const petri::error& wrong) {
        throw petri::error{wrong.code(), name + ": " + wrong.what()};
    }
}

void print_marking(const petri::net& of, const petri::marking& at) {
    for (petri::place_index each = 0; each != of.places().size(); ++each) {
        std::printf("  %-12s  %s\n", of.places()[each].name.c_str(),
                    of.content_text(each, at[each]).c_str());
    }
}

int run(petri::net& net, const arguments& how) {
    petri::simulation simulation{net, how.number("--seed", 1, 0, ~std::uint64_t{0})};
    const bool quiet = how.has("--quiet");
    simulation.watch([&](const petri::simulation& now, const auto& step) {
        if (quiet) return true;
        std::printf("%5zu  ", now.steps());
        for (const auto& each : step)
            std::printf("%s  ", net.transitions()[each.transition].name.c_str());
        std::puts("");
        return true;
    });
    const auto rule = how.has("--a-priori") ? petri::step_rule::a_priori : petri::step_rule::strict;
    if (const auto file = how.value("--replay")) {
        simulation.replay(petri::read_trace(read_whole_file(*file)), rule);
    } else {
        simulation.run(how.number("--steps", 1000, 1, 100'000'000), how.has("--concurrent"), rule);
    }
    std::printf("after %zu steps%s:\n", simulation.steps(),
                simulation.enabled().empty() ? ", where nothing is enabled" : "");
    print_marking(net, simulation.now());
    if (const auto file = how.value("--save"))
        write_whole_file(*file, petri::write_trace(simulation.taken()));
    return 0;
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
                lengths.count ? std::to_string(*lengths.count).c_str() : "more than 64 bits count",
                static_cast<unsigned long long>(lengths.weight.least),
                static_cast<unsigned long long>(lengths.weight.most));
}

void print_way(const petri::state_space& all, std::uint32_t to, const char* what) {
    const auto way = all.firings_to(to);
    std::printf("%s, after %zu firings:\n", what, way.steps.size());
    constexpr std::size_t most = 40;
    for (std::size_t each = 0; each != std::min(way.steps.size(), most); ++each) {
        std::printf("  %s\n", way.steps[each].front().transition.c_str());
    }
    if (way.steps.size() > most) std::puts("  …");
}

int space(petri::net& net, const arguments& how) {
    petri::space_options options;
    options.most_markings = how.number("--limit", options.most_markings, 1, 4'000'000'000);
    options.most_bytes = how.number("--memory", options.most_bytes >> 20U, 1, 1U << 20U) << 20U;
    const auto begin = sync::clock::now();
    const auto all = petri::explore(net, options);
    const std::chrono::duration<double> took = sync::clock::now() - begin;
    std::printf("explored in           %.3f s, %.2f million markings per second, %zu MiB\n",
                took.count(), all.markings() / took.count() / 1e6, all.bytes() >> 20U);
    if (!all.complete()) {
        std::printf("not complete          %s; %u markings and %llu arcs so far\n",
                    all.why().c_str(), all.markings(), static_cast<unsigned long long>(all.arcs()));
        if (all.witness()) print_way(all, *all.witness(), "shown by a marking");
        return 1;
    }
    const auto about = petri::analyse(all);
    std::printf("%s", petri::report_text(all, about).c_str());
    if (about.acyclic) print_runs(all);
    print_invariants(net);
    if (!about.dead_markings.empty())
        print_way(all, about.dead_markings.front(), "the first dead marking");
    return 0;
}

int page(petri::net& net, const arguments& how) {
    petri::web_page_options options;
    if (const auto file = how.value("--replay"))
        options.shown = petri::read_trace(read_whole_file(*file));
    if (net.name().starts_with("mss:")) options.script = models::multi_stealing_script;
    write_whole_file(how.value("--output").value_or("-"), petri::web_page(net, options));
    return 0;
}

} // namespace

int run_net(std::span<const char* const> words) {
    const arguments how{words, valued, flags};
    const auto& plain = how.plain();
    if (how.has("--help") || plain.empty() || plain.front() == "list") {
        print_usage();
        return 0;
    }
    if (plain.size() != 2)
        throw usage_error{"net " + plain.front() + " takes one net; see weft net --help"};
    petri::net net = find_net(plain[1]);
    if (plain.front() == "run") return run(net, how);
    if (plain.front() == "space") return space(net, how);
    if (plain.front() == "page") return page(net, how);
    if (plain.front() == "pnml") {
        write_whole_file(how.value("--output").value_or("-"), petri::write_pnml(net));
        return 0;
    }
    throw usage_error{"net does not know '" + plain.front() +
                      "'; it knows run, space, page, pnml and list"};
}

} // namespace weft::cli
