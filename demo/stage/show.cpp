#include "stage/show.hpp"

#include "acts/stopwatch.hpp"
#include "stage/wire.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace weft::demo {
namespace {

constexpr std::size_t repeats = 3;

std::string full_name(const workload& what, const act& which) {
    return std::string{what.name} + "/" + std::string{which.name};
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
    explicit director(const show_options& how) : how_{how} {
        for (const workload& each : workloads()) {
            if (wanted(each)) steps_ += each.acts.size() * rounds() + scaling_steps(each);
        }
    }

    show_report run() {
        const stopwatch watch;
        show_report all{how_.how, 0, {}, {}};
        for (const workload& each : workloads()) {
            if (!wanted(each)) continue;
            all.workloads.push_back(run_workload(each));
            note_broken(all.workloads.back(), all.broken);
            if (how_.after_each) how_.after_each(all.workloads.back());
        }
        all.seconds = watch.seconds();
        return all;
    }

private:
    /// An act, and what its runs have told so far.
    struct entry {
        const act* which;
        act_report report;
        std::vector<outcome> runs;
    };

    [[nodiscard]] bool wanted(const workload& what) const {
        return how_.only.empty() || std::ranges::find(how_.only, what.name) != how_.only.end();
    }
    [[nodiscard]] std::size_t rounds() const { return how_.how.choose(repeats, std::size_t{1}); }

    /// Each round runs every act once, so that a slow moment of the machine meets all of them.
    workload_report run_workload(const workload& what) {
        std::vector<entry> entries;
        for (const act& each : what.acts) {
            entries.push_back({&each, {}, {}});
            act_report& made = entries.back().report;
            made.name = each.name;
            made.by = each.by;
            made.about = each.about;
            made.left_out = each.run == nullptr;
        }
        for (std::size_t round = 0; round != rounds(); ++round) {
            for (entry& each : entries) {
                tell(what, *each.which);
                if (each.report.left_out || (round != 0 && !goes_on(each))) continue;
                run_once(what, each, how_.how.threads);
            }
        }
        workload_report made{&what, {}, {}};
        for (entry& each : entries) {
            if (!each.runs.empty()) each.report.told = summary_of(each.runs);
            made.acts.push_back(std::move(each.report));
        }
        compare(made);
        if (what.over_threads) made.scaling = scale(what, made);
        return made;
    }

    /// What went wrong once is not tried again.
    static bool goes_on(const entry& of) { return of.which->repeated && of.report.completed(); }

    void run_once(const workload& what, entry& of, std::size_t threads) const {
        std::vector<std::string> words{how_.program, "demo",
                                       "--act",      full_name(what, *of.which),
                                       "--threads",  std::to_string(threads)};
        if (how_.how.quick) words.emplace_back("--quick");
        child_limits limits;
        limits.seconds = how_.how.choose(12.0, 120.0); // quick ones are run where all is slow
        limits.threads = how_.how.choose<std::size_t>(20'000, 2'000);
        if (of.which->behaves == conduct::may_sleep) limits.asleep = 0;
        const child_report child = run_child(words, limits, {});
        of.report.how = child.how;
        of.report.why = child.why;
        of.report.threads = std::max(of.report.threads, child.threads);
        of.report.memory = std::max(of.report.memory, child.memory);
        of.report.cpu_seconds = child.cpu_seconds;
        if (child.how != ending::completed) return;
        try {
            of.runs.push_back(read_outcome(child.output));
            ++of.report.runs;
        } catch (const std::runtime_error& wrong) {
            of.report.how = ending::failed;
            of.report.why = wrong.what();
        }
    }

    static void compare(workload_report& all) {
        const auto ours = all.acts.back().value(all.what->figure);
        // A hundredth of the unit, such as of a percent of a CPU, is nothing, and nothing is a multiple of it.
        constexpr double nothing = 0.01;
        const bool percent = all.what->unit.starts_with("%");
        if (!ours || *ours <= (percent ? nothing : 0)) return;
        for (act_report& each : all.acts) {
            const auto value = each.value(all.what->figure);
            if (!value || !each.right() || &each == &all.acts.back()) continue;
            each.ratio = all.what->more_is_better ? *ours / *value : *value / *ours;
        }
    }

    [[nodiscard]] std::vector<std::size_t> thread_counts() const {
        std::vector<std::size_t> counts;
        for (std::size_t count = 1; count < how_.how.threads; count *= 2) counts.push_back(count);
        return counts;
    }
    [[nodiscard]] std::size_t scaling_steps(const workload& what) const {
        return what.over_threads ? what.acts.size() * thread_counts().size() : 0;
    }

    /// The acts again with fewer threads; serial ones are as they are.
    std::vector<series> scale(const workload& what, const workload_report& full) {
        std::vector<series> all;
        for (std::size_t place = 0; place != what.acts.size(); ++place) {
            const act& which = what.acts[place];
            series line{std::string{which.name}, {}};
            for (const std::size_t count : thread_counts()) {
                tell(what, which);
                if (!which.repeated || !full.acts[place].completed()) continue;
                entry again{&which, {}, {}};
                for (std::size_t round = 0; round != rounds(); ++round) {
                    run_once(what, again, count);
                }
                if (again.runs.empty()) continue;
                again.report.told = summary_of(again.runs);
                if (const auto value = again.report.value(what.figure)) {
                    line.points.emplace_back(static_cast<double>(count), *value);
                }
            }
            const auto value = full.acts[place].value(what.figure);
            if (!value) continue;
            line.points.emplace_back(static_cast<double>(how_.how.threads), *value);
            all.push_back(std::move(line));
        }
        return all;
    }

    static void note_broken(const workload_report& of, std::vector<std::string>& broken) {
        for (const act_report& each : of.acts) {
            if (each.by != side::ours) continue;
            const std::string who = std::string{of.what->name} + "/" + each.name + ": ";
            if (!each.completed()) broken.push_back(who + each.why);
            for (const check& one : each.told.checks) {
                if (!one.holds) broken.push_back(who + "not so: " + one.what);
            }
        }
    }

    void tell(const workload& what, const act& which) {
        if (how_.tell) how_.tell({done_, steps_, what.title, which.name});
        ++done_;
    }

    const show_options& how_;
    std::size_t steps_ = 0;
    std::size_t done_ = 0;
};

} // namespace

bool act_report::right() const {
    return std::ranges::all_of(told.checks, [](const check& each) { return each.holds; });
}

std::optional<double> act_report::value(std::string_view which) const {
    const auto found = std::ranges::find(told.figures, which, &figure::name);
    if (!completed() || found == told.figures.end()) return {};
    return found->value;
}

show_report run_show(const show_options& how) { return director{how}.run(); }

outcome run_act(const std::string& name, const settings& how) {
    for (const workload& each : workloads()) {
        for (const act& which : each.acts) {
            if (full_name(each, which) == name && which.run != nullptr) return which.run(how);
        }
    }
    throw std::invalid_argument{"there is no act '" + name + "'"};
}

} // namespace weft::demo
