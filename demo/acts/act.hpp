// What the demonstration shows: workloads, and for each the acts, which are the ways in which people write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::demo {

/// What an act is told.
struct settings {
    std::size_t threads = 1;
    bool quick = false; // sizes for tests

    /// The size of a demonstration, or that of a quick one.
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

/// What must hold, and whether it did.
struct check {
    std::string what;
    bool holds = false;
};

/// Points of a plot.
struct series {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

/// What an act has to tell when it has ended.
struct outcome {
    std::vector<figure> figures;
    std::vector<check> checks;
    std::vector<series> curves;
};

enum class side : std::uint8_t {
    today, // as it is often written
    good,  // as its makers recommend it
    ours,
};

/// How many threads may an act have, and may it be asleep? What the watchdog needs to know.
enum class conduct : std::uint8_t { busy, may_sleep };

/// One way to do a workload. It is run in a process of its own.
struct act {
    std::string_view name;
    side by;
    std::string_view about;
    outcome (*run)(const settings&); // null: its library was not there when this was built
    conduct behaves = conduct::busy;
    bool repeated = true; // its figures are medians of some runs
};

struct workload {
    std::string_view name;
    std::string_view title;
    std::string_view shows; // what to look at
    std::string_view figure;
    std::string_view unit;
    bool more_is_better;
    std::vector<act> acts;
    bool over_threads = false; // also run with fewer threads, for the plot of scaling
};

[[nodiscard]] std::span<const workload> workloads();

} // namespace weft::demo
