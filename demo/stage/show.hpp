// The demonstration: every act of every workload, one after the other, and what came of it.
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
    side by = side::ours;
    std::string about;
    bool left_out = false; // its library was not there
    ending how = ending::completed;
    std::string why;      // unless completed
    outcome told;         // medians of the runs
    std::size_t runs = 0; // that ended well
    std::size_t threads = 0;
    std::size_t memory = 0;
    double cpu_seconds = 0;
    /// How many times better weft is, by the figure of the workload; below 1 it is worse.
    std::optional<double> ratio;

    [[nodiscard]] bool completed() const { return !left_out && how == ending::completed; }
    [[nodiscard]] bool right() const; // all checks hold
    [[nodiscard]] std::optional<double> value(std::string_view which) const;
};

struct workload_report {
    const workload* what = nullptr;
    std::vector<act_report> acts;
    std::vector<series> scaling; // the figure over the number of threads
};

struct show_report {
    settings how;
    double seconds = 0;
    std::vector<workload_report> workloads;
    /// What did not hold, of ours. Empty is how it should be.
    std::vector<std::string> broken;
};

/// What is being done, to be told to whoever waits.
struct stage_news {
    std::size_t done = 0;
    std::size_t of = 0;
    std::string_view workload;
    std::string_view act;
};

struct show_options {
    settings how;
    std::vector<std::string> only; // names of workloads; none: all
    std::string program;           // that runs one act: this one
    std::function<void(const stage_news&)> tell = {};
    std::function<void(const workload_report&)> after_each = {};
};

[[nodiscard]] show_report run_show(const show_options& how);

/// One act, here and now, as the child of a show does it. Throws std::invalid_argument if there is none of that name.
[[nodiscard]] outcome run_act(const std::string& name, const settings& how);

} // namespace weft::demo
