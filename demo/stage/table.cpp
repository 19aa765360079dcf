#include "stage/table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace weft::demo {
namespace {

std::string three_digits(double value) {
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size >= 99.95) return fmt::format("{:.0f}", value);
    if (size >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

struct step {
    double from;
    std::string_view name;
};

/// The largest step that fits.
template <std::size_t Count>
std::string scaled(double value, const std::array<step, Count>& steps) {
    for (const step& each : steps) {
        if (std::abs(value) >= each.from) {
            return three_digits(value / each.from) + " " + std::string{each.name};
        }
    }
    return three_digits(value / steps.back().from) + " " + std::string{steps.back().name};
}

constexpr std::array<step, 4> seconds{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};

std::string ended_text(const act_report& of) {
    if (of.left_out) return "left out: its library was not found when weft was built";
    switch (of.how) {
    case ending::completed: return "WRONG";
    case ending::failed: return "failed: " + of.why;
    case ending::stalled: return "stands still: " + of.why;
    case ending::too_long: return "stopped: " + of.why;
    case ending::too_many_threads: return "stopped: " + of.why;
    }
    return "";
}

std::string row_of(const workload& what, const act_report& of) {
    const std::string_view mark = of.by == side::ours ? ">" : " ";
    if (!of.completed() || !of.right()) {
        return fmt::format("{} {:<22} {}\n", mark, of.name, ended_text(of));
    }
    std::string row = fmt::format("{} {:<22} {:>17} {:>8} {:>8}  {}", mark, of.name,
                                  result_text(what, of), of.threads, ratio_text(of), more_text(of));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
}

} // namespace

std::string heading_of(const workload& what) {
    if (what.figure == "seconds") return "time";
    if (what.figure == "wait_p99") return "99 % wait at most";
    if (what.figure == "cpu_percent") return "CPU time";
    return std::string{what.unit};
}

std::string result_text(const workload& what, const act_report& of) {
    if (!of.completed() || !of.right()) return ended_text(of);
    const auto value = of.value(what.figure);
    return value ? in_words(*value, what.unit) : "";
}

std::string more_text(const act_report& of) {
    std::string text;
    const auto add = [&](std::string_view figure, std::string_view what, std::string_view unit) {
        if (const auto value = of.value(figure)) {
            if (!text.empty()) text += ", ";
            text += fmt::format("{} {}", what, in_words(*value, unit));
        }
    };
    add("wait_median", "median", "µs");
    add("wait_max", "longest", "µs");
    add("variation", "variation", "");
    add("audits", "audits", "");
    add("steps", "steps", "");
    add("groups", "in concurrent groups", "");
    return text;
}

std::string ratio_text(const act_report& of) {
    return of.ratio ? three_digits(*of.ratio) + "×" : "";
}

std::string in_words(double value, std::string_view unit) {
    if (unit == "s") return scaled(value, seconds);
    if (unit == "µs") return scaled(value * 1e-6, seconds);
    if (unit.starts_with("%")) return three_digits(value) + " " + std::string{unit};
    if (unit.empty()) {
        return value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
    }
    static constexpr std::array<step, 3> counts{{{1e6, "M "}, {1e3, "k "}, {1, ""}}};
    const std::string_view what = unit.substr(unit.find('/') == unit.npos ? 0 : unit.find('/'));
    std::string text = scaled(value, counts);
    while (text.ends_with(' ')) text.pop_back();
    return text + std::string{what};
}

std::string table_of(const workload_report& of) {
    std::string text = fmt::format("\n{}\n{}\n", of.what->title, of.what->shows);
    text += fmt::format("  {:<22} {:>17} {:>8} {:>8}\n", "", heading_of(*of.what), "threads",
                        "weft is");
    for (const act_report& each : of.acts) text += row_of(*of.what, each);
    return text;
}

} // namespace weft::demo
