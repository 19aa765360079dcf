// weft demo: what people write today beside what weft does, in about a minute.
#include "command.hpp"
#include "host.hpp"
#include "nearest.hpp"
#include "progress.hpp"

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

demo::settings read_settings(const arguments& how) {
    const std::size_t usual = std::min(usable_cpus(), most_threads);
    return {how.number("--threads", usual, 1, most_threads), how.has("--quick")};
}

std::vector<std::string> read_names(const arguments& how) {
    std::vector<std::string> known;
    for (const demo::workload& each : demo::workloads()) known.emplace_back(each.name);
    std::vector<std::string> names = how.plain();
    for (const std::string& each : names) {
        if (std::ranges::find(known, each) != known.end()) continue;
        throw usage_error{"the demonstration has no '" + each + "'" + nearest_text(each, known) +
                          " (see weft help demo)"};
    }
    return names;
}

demo::machine describe_machine() {
    return {std::string{version}, compiler_text(), processor_text(), system_text(), usable_cpus()};
}

/// What there is to be read when all is over.
std::string last_words(const demo::show_report& all, const std::string& page) {
    std::string text = fmt::format("\n{:.0f} s. The same with plots: {}\n", all.seconds, page);
    if (all.broken.empty()) return text + "All that weft promises held.\n";
    text += "This should not have happened, please report it:\n";
    for (const std::string& each : all.broken) text += "  " + each + "\n";
    return text;
}

int run_one_act(const std::string& name, const arguments& how) {
    try {
        const std::string told = demo::write_outcome(demo::run_act(name, read_settings(how)));
        write_whole_file("-", told + "\n");
        return success;
    } catch (const std::invalid_argument& wrong) {
        throw usage_error{wrong.what()};
    }
}

int run(const arguments& how) {
    if (const auto act = how.value("--act")) return run_one_act(*act, how);
    const auto json_file = how.value("--json");
    const std::string page_file = how.value("--page").value_or("report.html");
    const bool prints = json_file != "-" && page_file != "-";
    const demo::machine here = describe_machine();

    progress shown{std::chrono::seconds{0}};
    demo::show_options options{
        .how = read_settings(how), .only = read_names(how), .program = "/proc/self/exe"};
    if (json_file) require_writable(*json_file);
    require_writable(page_file);
    options.tell = [&](const demo::stage_news& news) {
        shown.tell([&] {
            return fmt::format("{:3} %  {}: {}", 100 * news.done / news.of, news.workload,
                               news.act);
        });
    };
    options.after_each = [&](const demo::workload_report& done) {
        shown.end();
        if (prints) write_whole_file("-", demo::table_of(done));
        std::fflush(stdout);
    };
    if (prints) {
        write_whole_file("-", fmt::format("weft {} with {} threads on {}\n{}\n", here.weft,
                                          options.how.threads, here.processor, here.compiler));
        std::fflush(stdout);
    }
    const demo::show_report all = demo::run_show(options);
    const std::string report = demo::write_report(all, here);
    if (json_file) write_whole_file(*json_file, report);
    write_whole_file(page_file, demo::make_page(report));
    if (prints) write_whole_file("-", last_words(all, page_file));
    return all.broken.empty() ? success : failure;
}

std::string names_of_workloads() {
    std::string text = "WORKLOAD is one of these; all of them if none is named:";
    for (const demo::workload& each : demo::workloads()) {
        text += fmt::format("\n  {:<11} {}", each.name, each.title);
    }
    return text +
           "\nEach way to write a workload runs in a process of its own, which is stopped when "
           "it stands\nstill or takes too much. Exit code 1 if anything that weft promises "
           "does not hold.";
}

} // namespace

command demo_command() {
    return {"demo",
            "What people write today beside what weft does, in about a minute",
            "[WORKLOAD...]",
            {{"--page", "FILE", "the report with plots; otherwise report.html"},
             {"--threads", "N", "otherwise one for each usable CPU"},
             {"--quick", "", "a few seconds, of which the figures say little"},
             {"--act", "NAME", "only that way of one, such as sum/weft, in this process"},
             json_option},
            run,
            names_of_workloads};
}

} // namespace weft::cli
