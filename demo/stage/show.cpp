#include "stage/show.hpp"

#include "acts/timing.hpp"
#include "stage/wire.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace weft::demo {
namespace {

constexpr std::size_t repeats = 3;

std::string full_name(const workload& workload, const act& act) {
    return std::string{workload.name} + "/" + std::string{act.name};
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The median of each figure; curves are those of the last run, and a check holds if it always did.
outcome summary_of(const std::vector<outcome>& runs) {
    outcome all = runs.back();
    for (std::size_t each = 0; each != all.figures.size(); ++each) {
        std::vector<double> values;
        values.reserve(runs.size());
        for (const outcome& run : runs) values.push_back(run.figures.at(each).value);
        all.figures[each].value = median(std::move(values));
    }
    for (std::size_t each = 0; each != all.checks.size(); ++each) {
        all.checks[each].holds = std::ranges::all_of(
            runs, [&](const outcome& run) { return run.checks.at(each).holds; });
    }
    return all;
}

class director {
public:
    explicit director(const show_options& options) : options_{options} {
        for (const workload& each : workloads()) {
            if (wanted(each)) steps_ += each.acts.size() * rounds() + scaling_steps(each);
        }
    }

    show_report run() {
        const stopwatch watch;
        show_report all{options_.settings, 0, {}, {}};
        for (const workload& each : workloads()) {
            if (!wanted(each)) continue;
            all.workloads.push_back(run_workload(each));
            note_broken(all.workloads.back(), all.broken);
            if (options_.after_each) options_.after_each(all.workloads.back());
        }
        all.seconds = watch.seconds();
        return all;
    }

private:
    /// An act, and the results of its runs so far.
    struct entry {
        const demo::act* act;
        act_report report;
        std::vector<outcome> runs;
    };

    [[nodiscard]] bool wanted(const workload& workload) const {
        return options_.only.empty() ||
               std::ranges::find(options_.only, workload.name) != options_.only.end();
    }
    [[nodiscard]] std::size_t rounds() const {
        return options_.settings.choose(repeats, std::size_t{1});
    }

    /// Each round runs every act once, so that a slow phase of the machine affects all of them.
    workload_report run_workload(const workload& workload) {
        std::vector<entry> entries;
        for (const act& each : workload.acts) {
            entries.push_back({&each, {}, {}});
            act_report& made = entries.back().report;
            made.name = each.name;
            made.origin = each.origin;
            made.about = each.about;
            made.left_out = each.run == nullptr;
        }
        for (std::size_t round = 0; round != rounds(); ++round) {
            for (entry& each : entries) {
                show_progress(workload, *each.act);
                if (each.report.left_out || (round != 0 && !goes_on(each))) continue;
                run_once(workload, each, options_.settings.threads);
            }
        }
        workload_report made{&workload, {}, {}};
        for (entry& each : entries) {
            if (!each.runs.empty()) each.report.result = summary_of(each.runs);
            made.acts.push_back(std::move(each.report));
        }
        compare(made);
        if (workload.over_threads) made.scaling = scale(workload, made);
        return made;
    }

    /// An act that failed once is not run again.
    static bool goes_on(const entry& tried) {
        return tried.act->repeated && tried.report.completed();
    }

    void run_once(const workload& workload, entry& tried, std::size_t threads) const {
        std::vector<std::string> words{options_.program, "demo",
                                       "--act",          full_name(workload, *tried.act),
                                       "--threads",      std::to_string(threads)};
        if (options_.settings.quick) words.emplace_back("--quick");
        child_limits limits;
        limits.seconds =
            options_.settings.choose(12.0, 120.0); // quick ones also run under sanitizers
        limits.threads = options_.settings.choose<std::size_t>(20'000, 2'000);
        if (tried.act->behaves == conduct::may_sleep) limits.asleep = 0;
        const child_report child = run_child(words, limits, {});
        tried.report.ending = child.ending;
        tried.report.reason = child.reason;
        tried.report.threads = std::max(tried.report.threads, child.threads);
        tried.report.memory = std::max(tried.report.memory, child.memory);
        tried.report.cpu_seconds = child.cpu_seconds;
        if (child.ending != ending::completed) return;
        try {
            tried.runs.push_back(read_outcome(child.output));
            ++tried.report.runs;
        } catch (const std::runtime_error& wrong) {
            tried.report.ending = ending::failed;
            tried.report.reason = wrong.what();
        }
    }

    static void compare(workload_report& all) {
        const auto ours = all.acts.back().value(all.workload->figure);
        // A figure below a hundredth of a percent of a CPU is nothing, and no ratio to it makes
        // sense.
        constexpr double nothing = 0.01;
        const bool percent = all.workload->unit.starts_with("%");
        if (!ours || *ours <= (percent ? nothing : 0)) return;
        for (act_report& each : all.acts) {
            const auto value = each.value(all.workload->figure);
            if (!value || !each.right() || &each == &all.acts.back()) continue;
            each.ratio = all.workload->more_is_better ? *ours / *value : *value / *ours;
        }
    }

    [[nodiscard]] std::vector<std::size_t> thread_counts() const {
        std::vector<std::size_t> counts;
        for (std::size_t count = 1; count < options_.settings.threads; count *= 2)
            counts.push_back(count);
        return counts;
    }
    [[nodiscard]] std::size_t scaling_steps(const workload& workload) const {
        return workload.over_threads ? workload.acts.size() * thread_counts().size() : 0;
    }

    /// Runs the acts again with fewer threads.
    std::vector<series> scale(const workload& workload, const workload_report& full) {
        std::vector<series> all;
        for (std::size_t place = 0; place != workload.acts.size(); ++place) {
            const act& act = workload.acts[place];
            series line{std::string{act.name}, {}};
            for (const std::size_t count : thread_counts()) {
                show_progress(workload, act);
                if (!act.repeated || !full.acts[place].completed()) continue;
                entry again{&act, {}, {}};
                for (std::size_t round = 0; round != rounds(); ++round) {
                    run_once(workload, again, count);
                }
                if (again.runs.empty()) continue;
                again.report.result = summary_of(again.runs);
                if (const auto value = again.report.value(workload.figure)) {
                    line.points.emplace_back(static_cast<double>(count), *value);
                }
            }
            const auto value = full.acts[place].value(workload.figure);
            if (!value) continue;
            line.points.emplace_back(static_cast<double>(options_.settings.threads), *value);
            all.push_back(std::move(line));
        }
        return all;
    }

    static void note_broken(const workload_report& report, std::vector<std::string>& broken) {
        for (const act_report& each : report.acts) {
            if (each.origin != side::ours) continue;
            const std::string prefix = std::string{report.workload->name} + "/" + each.name + ": ";
            if (!each.completed()) broken.push_back(prefix + each.reason);
            for (const check& one : each.result.checks) {
                if (!one.holds) broken.push_back(prefix + "does not hold: " + one.claim);
            }
        }
    }

    void show_progress(const workload& workload, const act& act) {
        if (options_.show_progress)
            options_.show_progress({done_, steps_, workload.title, act.name});
        ++done_;
    }

    const show_options& options_;
    std::size_t steps_ = 0;
    std::size_t done_ = 0;
};

} // namespace

bool act_report::right() const {
    return std::ranges::all_of(result.checks, [](const check& each) { return each.holds; });
}

std::optional<double> act_report::value(std::string_view figure_name) const {
    const auto found = std::ranges::find(result.figures, figure_name, &figure::name);
    if (!completed() || found == result.figures.end()) return {};
    return found->value;
}

show_report run_show(const show_options& options) { return director{options}.run(); }

outcome run_act(const std::string& name, const settings& settings) {
    for (const workload& each : workloads()) {
        for (const act& act : each.acts) {
            if (full_name(each, act) == name && act.run != nullptr) return act.run(settings);
        }
    }
    throw std::invalid_argument{"there is no act '" + name + "'"};
}

} // namespace weft::demo
