#include "runner/report.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

namespace bench {

namespace {

using row = std::vector<std::string>;

const sample* find_metric(const result& of, std::string_view metric) {
    const auto found = std::ranges::find(of.medians, metric, &sample::metric);
    return found == of.medians.end() ? nullptr : &*found;
}

std::string four_digits(double value) {
    const int magnitude = value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
    std::ostringstream text;
    text << std::fixed << std::setprecision(std::clamp(3 - magnitude, 0, 9)) << value;
    return text.str();
}

std::string describe(const result& of) {
    std::ostringstream text;
    const auto add = [&](const parameters& some) {
        for (const auto& [name, value] : some) {
            text << (text.tellp() > 0 ? " " : "") << name << '=';
            std::visit([&](const auto& known) { text << known; }, value);
        }
    };
    add(of.problem);
    add(of.limits);
    return text.str();
}

/// Of times for the same problem; where the library solved a smaller one, of times for a task.
std::string ratio_to_serial(const std::vector<result>& results, const result& of) {
    const auto ratio = [&](const result& serial, std::string_view metric) -> std::string {
        const sample* ours = find_metric(of, metric);
        const sample* theirs = find_metric(serial, metric);
        if (ours == nullptr || theirs == nullptr) return {};
        return four_digits(ours->value / theirs->value);
    };
    std::string by_task;
    for (const result& each : results) {
        if (each.library != serial_library) continue;
        if (each.problem == of.problem) return ratio(each, "seconds");
        if (by_task.empty()) by_task = ratio(each, "ns_per_task");
    }
    return by_task;
}

std::vector<sample> metrics_of(const std::vector<result>& results) {
    std::vector<sample> metrics;
    for (const result& each : results) {
        for (const sample& one : each.medians) {
            if (std::ranges::find(metrics, one.metric, &sample::metric) == metrics.end()) {
                metrics.push_back(one);
            }
        }
    }
    return metrics;
}

std::vector<row> make_rows(const std::vector<result>& results) {
    const std::vector<sample> metrics = metrics_of(results);
    const bool compared =
        std::ranges::find(results, serial_library, &result::library) != results.end();
    row head{"lib", "threads", "params"};
    for (const sample& each : metrics) {
        const bool named =
            each.metric.find("seconds") != std::string::npos || each.metric.starts_with(each.unit);
        head.push_back(named ? each.metric : each.metric + "_" + each.unit);
    }
    if (compared) head.emplace_back("x serial");

    std::vector<row> rows{head};
    for (const result& each : results) {
        row cells{each.library, std::to_string(each.threads), describe(each)};
        for (const sample& metric : metrics) {
            const sample* found = find_metric(each, metric.metric);
            cells.push_back(found != nullptr ? four_digits(found->value) : "");
        }
        if (compared) cells.push_back(ratio_to_serial(results, each));
        rows.push_back(std::move(cells));
    }
    return rows;
}

} // namespace

void print_table(std::ostream& out, const workload& which, const std::vector<result>& results) {
    const std::vector<row> rows = make_rows(results);
    std::vector<std::size_t> widths(rows.front().size());
    for (const row& cells : rows) {
        for (std::size_t i = 0; i != cells.size(); ++i) {
            widths[i] = std::max(widths[i], cells[i].size());
        }
    }
    out << which.name << ": " << which.description << "; medians of " << results.front().runs
        << " runs\n";
    for (const row& cells : rows) {
        out << ' ';
        for (std::size_t i = 0; i != cells.size(); ++i) {
            const bool number = i != 0 && i != 2;
            out << ' ' << (number ? std::right : std::left)
                << std::setw(static_cast<int>(widths[i])) << cells[i];
        }
        out << '\n';
    }
    out << std::endl; // NOLINT(performance-avoid-endl): the next workload may take minutes
}

} // namespace bench
