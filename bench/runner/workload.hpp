// What the runner knows of a workload: who takes part, and how each is run once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bench {

using parameters = std::vector<std::pair<std::string, std::variant<std::int64_t, std::string>>>;

/// What is asked for.
struct request {
    std::size_t threads = 1;
    bool full = false;

    /// The sizes of a run, or those of a full one.
    template <class Sizes>
    [[nodiscard]] Sizes choose(Sizes usual, Sizes all) const {
        return full ? all : usual;
    }
};

/// One figure of one run.
struct sample {
    std::string metric;
    double value;
    std::string unit;
};

/// A library with a problem to solve, ready to be run any number of times.
struct contestant {
    parameters problem;
    parameters limits; // what the library cannot do without, such as a cut-off
    std::function<std::vector<sample>()> run;
};

/// A library's part in a workload. `prepare` makes its threads too, so that no run has to.
struct implementation {
    std::string_view workload;
    std::string_view library;
    std::vector<contestant> (*prepare)(const request&);
};

/// An object of this at namespace scope makes an implementation known.
struct registration {
    explicit registration(const implementation& made);
};

/// Those of a workload, the serial one first.
[[nodiscard]] std::vector<implementation> implementations_of(std::string_view workload);

struct workload {
    std::string_view name;
    std::string_view description;
    std::size_t repeats = 5;
    std::vector<std::size_t> threads = {}; // unless asked for; none: 1 and the usable CPUs
};

[[nodiscard]] const std::vector<workload>& workloads();

inline constexpr std::string_view serial_library = "serial";

} // namespace bench
