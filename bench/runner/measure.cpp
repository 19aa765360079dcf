#include "runner/measure.hpp"

#include "runner/progress.hpp"
#include "runner/timed.hpp"

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

/// A contestant, and what its runs gave.
struct entry {
    result about;
    contestant who;
    std::vector<std::vector<sample>> rounds;

    std::vector<sample> run() const {
        try {
            return who.run();
        } catch (const wrong_result& wrong) {
            throw wrong_result{about.workload + " with " + about.library + " on " +
                               std::to_string(about.threads) + " threads: " + wrong.what()};
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

std::vector<entry> prepare(const workload& which, const options& how) {
    std::vector<entry> entries;
    const std::vector<std::size_t> counts = threads_for(which, how);
    for (const implementation& each : implementations_of(which.name)) {
        const bool serial = each.library == serial_library;
        for (const std::size_t threads : serial ? std::vector<std::size_t>{1} : counts) {
            for (contestant& made : each.prepare({threads, how.full})) {
                const result about{std::string{which.name},
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

std::vector<result> measure(const workload& which, const options& how) {
    std::vector<entry> entries = prepare(which, how);
    const std::size_t repeats = how.repeats != 0 ? how.repeats : which.repeats;
    progress shown;
    const auto tell = [&](const entry& each, std::size_t round) {
        shown.tell(each.about.workload + ": " + each.about.library + ", round " +
                   std::to_string(round) + " of " + std::to_string(repeats));
    };
    for (const entry& each : entries) {
        tell(each, 0);
        static_cast<void>(each.run());
    }
    for (std::size_t repeat = 0; repeat != repeats; ++repeat) {
        for (entry& each : entries) {
            tell(each, repeat + 1);
            each.rounds.push_back(each.run());
        }
    }
    std::vector<result> results;
    std::ranges::transform(entries, std::back_inserter(results),
                           [](entry& each) { return std::move(each).finish(); });
    return results;
}

} // namespace bench
