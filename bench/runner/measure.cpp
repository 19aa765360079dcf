#include "runner/measure.hpp"

#include "runner/timed.hpp"

#include "shell/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace bench {

namespace {

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A contestant and the figures of its runs.
struct entry {
    result about;
    contestant runner;
    std::vector<std::vector<sample>> rounds;

    std::vector<sample> run() const {
        try {
            return runner.run();
        } catch (const wrong_result& wrong) {
            throw wrong_result{fmt::format("{} with {} on {} threads: {}", about.workload,
                                           about.library, about.threads, wrong.what())};
        }
    }

    result finish() && {
        about.runs = rounds.size();
        about.medians = rounds.front();
        for (std::size_t metric = 0; metric != about.medians.size(); ++metric) {
            std::vector<double> values;
            values.reserve(rounds.size());
            for (const auto& round : rounds) values.push_back(round[metric].value);
            about.medians[metric].value = median(std::move(values));
        }
        return std::move(about);
    }
};

std::vector<entry> prepare(const workload& measured, const options& options) {
    std::vector<entry> entries;
    const std::vector<std::size_t> counts = threads_for(measured, options);
    for (const implementation& each : implementations_of(measured.name)) {
        const bool serial = each.library == serial_library;
        for (const std::size_t threads : serial ? std::vector<std::size_t>{1} : counts) {
            for (contestant& made : each.prepare({threads, options.full})) {
                const result about{std::string{measured.name},
                                   std::string{each.library},
                                   threads,
                                   made.problem,
                                   made.limits,
                                   0,
                                   {}};
                entries.push_back({about, std::move(made), {}});
            }
        }
    }
    return entries;
}

} // namespace

std::vector<result> measure(const workload& measured, const options& options) {
    std::vector<entry> entries = prepare(measured, options);
    const std::size_t repeats = options.repeats != 0 ? options.repeats : measured.repeats;
    weft::cli::progress shown;
    const auto show = [&](const entry& each, std::size_t round) {
        shown.show([&] {
            return fmt::format("{}: {}, round {} of {}", each.about.workload, each.about.library,
                               round, repeats);
        });
    };
    for (const entry& each : entries) {
        show(each, 0);
        static_cast<void>(each.run());
    }
    for (std::size_t repeat = 0; repeat != repeats; ++repeat) {
        for (entry& each : entries) {
            show(each, repeat + 1);
            each.rounds.push_back(each.run());
        }
    }
    std::vector<result> results;
    std::ranges::transform(entries, std::back_inserter(results),
                           [](entry& each) { return std::move(each).finish(); });
    return results;
}

} // namespace bench
