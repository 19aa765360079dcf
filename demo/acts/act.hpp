// The workloads of the demonstration, and for each its acts: the ways in which it can be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::demo {

/// The parameters of an act.
struct settings {
    std::size_t threads = 1;
    bool quick = false; // sizes for tests

    /// The size for a demonstration, or for a quick one.
    template <class Size>
    [[nodiscard]] Size choose(Size whole, Size small) const {
        return quick ? small : whole;
    }
};

struct figure {
    std::string name;
    double value = 0;
    std::string unit;
};

/// A property that must hold, and whether it did.
struct check {
    std::string claim;
    bool holds = false;
};

/// Points of a plot.
struct series {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

/// The result of an act.
struct outcome {
    std::vector<figure> figures;
    std::vector<check> checks;
    std::vector<series> curves;
    std::string drawing = {}; // in the language DOT
};

enum class side : std::uint8_t {
    today, // as it is often written
    good,  // as the library's authors recommend
    ours,
};

/// For the watchdog: whether all threads of an act may sleep.
enum class conduct : std::uint8_t { busy, may_sleep };

/// One implementation of a workload. It runs in its own process.
struct act {
    std::string_view name;
    side origin;
    std::string_view about;
    outcome (*run)(const settings&); // null: its library was not found when this was built
    conduct behaves = conduct::busy;
    bool repeated = true; // its figures are medians of several runs
};

struct workload {
    std::string_view name;
    std::string_view title;
    std::string_view shows; // what to look at
    std::string_view figure;
    std::string_view unit;
    bool more_is_better;
    std::vector<act> acts;
    bool over_threads = false; // also runs with fewer threads, for the plot of scaling
};

[[nodiscard]] std::span<const workload> workloads();

} // namespace weft::demo
