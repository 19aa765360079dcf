// Runs of a graph, one after the other, and the time of each.
#pragma once

#include "acts/act.hpp"
#include "acts/graph/frame.hpp"
#include "acts/timing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::demo::graph {

/// For how long an act may run the graph, up to 100,000 times. Where no graph is built, less is
/// enough for a mean.
inline constexpr double for_all_runs = 1.4;
inline constexpr double for_some_runs = 0.2;

class runs {
public:
    runs(const settings& settings, double seconds)
        : wanted_{settings.choose<std::size_t>(100'000, 200)},
          longest_{static_cast<std::int64_t>(settings.choose(seconds, 0.1) * 1e9)} {
        ends_.reserve(wanted_);
    }

    void begin() { begin_ = now_in_nanoseconds(); }
    /// A run has ended. Whether another is wanted: not after 100,000, or if time is up.
    [[nodiscard]] bool note_end() {
        ends_.push_back(now_in_nanoseconds());
        return ends_.size() < wanted_ && ends_.back() - begin_ < longest_;
    }

    /// After the last run.
    [[nodiscard]] outcome close(const frame& played) const {
        std::vector<double> times;
        std::int64_t last = begin_;
        for (const std::int64_t end : ends_) {
            times.push_back(static_cast<double>(end - last) / 1e3);
            last = end;
        }
        std::ranges::sort(times);
        const auto count = static_cast<double>(times.size());
        const auto quantile = [&](double part) {
            return times[static_cast<std::size_t>(part * (count - 1))];
        };
        outcome result{{{"run_time", static_cast<double>(last - begin_) / 1e3 / count, "µs"},
                        {"run_p99", quantile(0.99), "µs"},
                        {"graph_runs", count, ""}},
                       {{"no node ran before the nodes that it comes after", played.kept_order()},
                        {"every node ran once in every run", played.ran(times.size())}},
                       {{"times", {}}}};
        for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999}) {
            result.curves.front().points.emplace_back(part, quantile(part));
        }
        return result;
    }

private:
    std::size_t wanted_;
    std::int64_t longest_;
    std::int64_t begin_ = 0;
    std::vector<std::int64_t> ends_;
};

/// Calls `run_once()` 100,000 times, or for this time.
template <class RunOnce>
outcome measure(const settings& settings, double seconds, const frame& played, RunOnce run_once) {
    runs all{settings, seconds};
    all.begin();
    do {
        run_once();
    } while (all.note_end());
    return all.close(played);
}

} // namespace weft::demo::graph
