// The demonstration: runs every act of every workload, and collects the results.
#pragma once

#include "acts/act.hpp"
#include "stage/child.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::demo {

struct act_report {
    std::string name;
    side origin = side::ours;
    std::string about;
    bool left_out = false; // its library was not found
    demo::ending ending = demo::ending::completed;
    std::string reason;   // unless completed
    outcome result;       // medians of the runs
    std::size_t runs = 0; // that completed
    std::size_t threads = 0;
    std::size_t memory = 0;
    double cpu_seconds = 0;
    /// The factor by which weft's figure is better; below 1 it is worse.
    std::optional<double> ratio;

    [[nodiscard]] bool completed() const { return !left_out && ending == demo::ending::completed; }
    [[nodiscard]] bool right() const; // all checks hold
    [[nodiscard]] std::optional<double> value(std::string_view figure_name) const;
};

struct workload_report {
    const demo::workload* workload = nullptr;
    std::vector<act_report> acts;
    std::vector<series> scaling; // the figure over the number of threads
};

struct show_report {
    demo::settings settings;
    double seconds = 0;
    std::vector<workload_report> workloads;
    /// Promises of weft that did not hold.
    std::vector<std::string> broken;
};

/// For a display of progress.
struct stage_news {
    std::size_t done = 0;
    std::size_t total = 0;
    std::string_view workload;
    std::string_view act;
};

struct show_options {
    demo::settings settings;
    std::vector<std::string> only; // names of workloads; none: all
    std::string program;           // runs one act: this program
    std::function<void(const stage_news&)> show_progress = {};
    std::function<void(const workload_report&)> after_each = {};
};

[[nodiscard]] show_report run_show(const show_options& options);

/// Runs one act in this process. Throws std::invalid_argument if no act has this name.
[[nodiscard]] outcome run_act(const std::string& name, const settings& settings);

} // namespace weft::demo
