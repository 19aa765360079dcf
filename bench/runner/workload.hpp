// Workloads, the libraries that take part in them, and how each is run once.
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

/// The parameters of a run.
struct request {
    std::size_t threads = 1;
    bool full = false;

    /// The sizes of a usual run, or those of a full one.
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
    parameters limits; // limits that the library needs, such as a cut-off
    std::function<std::vector<sample>()> run;
};

/// A library's implementation of a workload. `prepare` also starts its threads, so that no run has
/// to.
struct implementation {
    std::string_view workload;
    std::string_view library;
    std::vector<contestant> (*prepare)(const request&);
};

/// An object at namespace scope that registers an implementation.
struct registration {
    explicit registration(const implementation& made);
};

/// The implementations of a workload, the serial one first.
[[nodiscard]] std::vector<implementation> implementations_of(std::string_view workload);

struct workload {
    std::string_view name;
    std::string_view description;
    std::size_t repeats = 5;
    std::vector<std::size_t> threads = {}; // default of --threads; none: 1 and the usable CPUs
};

[[nodiscard]] const std::vector<workload>& workloads();

inline constexpr std::string_view serial_library = "serial";

} // namespace bench
