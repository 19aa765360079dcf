// weft demo: common ways to write a workload, compared with weft, in about a minute.
#include "commands.hpp"
#include "host.hpp"
#include "shell/files.hpp"
#include "shell/nearest.hpp"
#include "shell/progress.hpp"

#include "page/page.hpp"
#include "stage/show.hpp"
#include "stage/table.hpp"
#include "stage/wire.hpp"

#include <weft/pool.hpp>
#include <weft/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::cli {
namespace {

constexpr std::size_t most_threads = 64;

demo::settings read_settings(const arguments& request) {
    const std::size_t usable = std::min(usable_cpus(), most_threads);
    return {request.number("--threads", usable, 1, most_threads), request.has("--quick")};
}

std::vector<std::string> names_of_workloads() {
    std::vector<std::string> names;
    for (const demo::workload& each : demo::workloads()) names.emplace_back(each.name);
    return names;
}

std::vector<std::string> read_names(const arguments& request) {
    const std::vector<std::string> known = names_of_workloads();
    std::vector<std::string> names = request.plain();
    for (const std::string& each : names) {
        if (std::ranges::find(known, each) != known.end()) continue;
        throw usage_error{"the demonstration has no workload '" + each + "'" +
                          nearest_text(each, known) + " (see weft help demo)"};
    }
    return names;
}

demo::machine describe_machine() {
    return {std::string{version}, compiler_text(), processor_text(), system_text(), usable_cpus()};
}

std::string summary(const demo::show_report& all, const std::string& page) {
    std::string text = fmt::format("\n{:.0f} s. The report with plots: {}\n", all.seconds, page);
    if (all.broken.empty()) return text + "Everything that weft promises held.\n";
    text += "This should not have happened; please report it:\n";
    for (const std::string& each : all.broken) text += "  " + each + "\n";
    return text;
}

int run_one_act(const std::string& name, const arguments& request) {
    try {
        const std::string result = demo::write_outcome(demo::run_act(name, read_settings(request)));
        write_whole_file("-", result + "\n");
        return success;
    } catch (const std::invalid_argument& wrong) {
        throw usage_error{wrong.what()};
    }
}

int run(const arguments& request) {
    if (const auto act = request.value("--act")) return run_one_act(*act, request);
    const auto json_file = request.value("--json");
    const std::string page_file = request.value("--page").value_or("report.html");
    const bool prints = json_file != "-" && page_file != "-";
    const demo::machine machine = describe_machine();

    progress shown{std::chrono::seconds{0}};
    demo::show_options options{.settings = read_settings(request),
                               .only = read_names(request),
                               .program = "/proc/self/exe"};
    if (json_file) require_writable(*json_file);
    require_writable(page_file);
    options.show_progress = [&](const demo::stage_news& news) {
        shown.show([&] {
            return fmt::format("{:3} %  {}: {}", 100 * news.done / news.total, news.workload,
                               news.act);
        });
    };
    options.after_each = [&](const demo::workload_report& done) {
        shown.end();
        if (prints) print_now(demo::table_of(done));
    };
    if (prints) {
        print_now(fmt::format("weft {} with {} threads on {}\n{}\n", machine.weft,
                              options.settings.threads, machine.processor, machine.compiler));
    }
    const demo::show_report all = demo::run_show(options);
    const std::string report = demo::write_report(all, machine);
    if (json_file) write_whole_file(*json_file, report);
    write_whole_file(page_file, demo::make_page(report));
    if (prints) write_whole_file("-", summary(all, page_file));
    return all.broken.empty() ? success : failure;
}

std::string describe_workloads() {
    std::string text = "WORKLOAD is one of these; default: all of them";
    for (const demo::workload& each : demo::workloads()) {
        text += fmt::format("\n  {:<11} {}", each.name, each.title);
    }
    return text +
           "\nEach implementation of a workload runs in its own process, which is killed when it "
           "hangs or\nuses too much time or memory. Exit code 1 if a promise of weft does not "
           "hold.";
}

} // namespace

command demo_command() {
    return {"demo",
            "Compares common ways to write a workload with weft, in a minute",
            "[WORKLOAD...]",
            {{"--page", "FILE", "the HTML report to write; default report.html"},
             {"--threads", "N", "the number of threads; default one for each usable CPU"},
             {"--quick", "", "runs for a few seconds; the figures are less precise"},
             {"--act", "NAME", "runs only this implementation, such as sum/weft, in this process"},
             json_option},
            run,
            describe_workloads,
            {},
            names_of_workloads};
}

} // namespace weft::cli
