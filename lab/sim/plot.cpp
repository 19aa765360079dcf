#include "sim/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>

namespace weft::sim {

namespace {

constexpr double width = 720;
constexpr double height = 440;
constexpr double left = 60;
constexpr double right = 110;
constexpr double top = 40;
constexpr double bottom = 50;
constexpr std::array<std::string_view, 8> colours{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                  "#9467bd", "#8c564b", "#e377c2", "#333333"};

/// Both axes are logarithmic.
class frame {
public:
    explicit frame(const std::vector<result>& all) {
        for (const result& each : all) {
            most_cores_ = std::max(most_cores_, static_cast<double>(each.cores));
            most_ratio_ = std::max(most_ratio_, each.ratio());
        }
    }
    [[nodiscard]] double x(double cores) const {
        return left + (width - left - right) * std::log(cores) / std::log(most_cores_);
    }
    [[nodiscard]] double y(double ratio) const {
        const double part = std::log(std::max(ratio, least_ratio) / least_ratio) /
                            std::log(most_ratio_ / least_ratio);
        return height - bottom - (height - top - bottom) * part;
    }
    [[nodiscard]] double most_cores() const { return most_cores_; }
    [[nodiscard]] double most_ratio() const { return most_ratio_; }

private:
    static constexpr double least_ratio = 0.5;
    double most_cores_ = 2;
    double most_ratio_ = 2;
};

void draw_axes(std::ostringstream& out, const frame& axes, const std::string& load) {
    const auto line = [&](double x1, double y1, double x2, double y2) {
        out << "<line x1='" << x1 << "' y1='" << y1 << "' x2='" << x2 << "' y2='" << y2
            << "' stroke='#ddd'/>\n";
    };
    const auto text = [&](double x, double y, const char* anchor, const auto& content) {
        out << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "'>" << content
            << "</text>\n";
    };
    text(left, 24, "start", load + ": makespan over T1/P + T∞");
    for (int cores = 1; cores <= static_cast<int>(axes.most_cores()); cores *= 4) {
        line(axes.x(cores), top, axes.x(cores), height - bottom);
        text(axes.x(cores), height - bottom + 18, "middle", cores);
    }
    for (int halves = 1; halves <= static_cast<int>(axes.most_ratio() * 2); halves *= 2) {
        const double ratio = halves * 0.5;
        line(left, axes.y(ratio), width - right, axes.y(ratio));
        text(left - 8, axes.y(ratio) + 4, "end", ratio);
    }
    text((left + width - right) / 2, height - 10, "middle", "cores");
}

void draw_line(std::ostringstream& out, const frame& axes, const std::vector<result>& line,
               std::size_t number) {
    const std::string_view colour = colours[number % colours.size()];
    out << "<polyline fill='none' stroke-width='2' stroke='" << colour << "' points='";
    for (const result& each : line) {
        out << axes.x(static_cast<double>(each.cores)) << ',' << axes.y(each.ratio()) << ' ';
    }
    const double y = top + 18 * static_cast<double>(number);
    out << "'/>\n<text x='" << width - right + 10 << "' y='" << y + 10 << "' fill='" << colour
        << "'>" << name_of(line.front().policy) << "</text>\n";
}

} // namespace

double result::ratio() const {
    const double best =
        static_cast<double>(law.work) / static_cast<double>(cores) + static_cast<double>(law.span);
    return static_cast<double>(found.makespan) / best;
}

std::string json_of(const std::vector<result>& all) {
    std::ostringstream out;
    out << '[';
    const char* separator = "\n";
    for (const result& each : all) {
        out << separator << R"(  {"load": ")" << each.load << R"(", "policy": ")"
            << name_of(each.policy) << '"';
        const auto figure = [&](const char* name, auto value) {
            out << ", \"" << name << "\": " << value;
        };
        figure("cores", each.cores);
        figure("seed", each.seed);
        figure("tasks", each.found.tasks);
        figure("work_ns", each.law.work);
        figure("span_ns", each.law.span);
        figure("makespan_ns", each.found.makespan);
        figure("ratio", each.ratio());
        figure("idle_ns", each.found.idle);
        figure("attempts", each.found.attempts);
        figure("failures", each.found.failures);
        figure("moved", each.found.moved);
        figure("messages", each.found.messages);
        figure("rebalances", each.found.rebalances);
        figure("latency_99_ns", each.found.latency_99);
        out << '}';
        separator = ",\n";
    }
    out << "\n]\n";
    return out.str();
}

std::string svg_of(const std::vector<result>& all) {
    std::vector<result> shown;
    for (const result& each : all) {
        if (each.load == all.front().load) shown.push_back(each);
    }
    const frame axes{shown};
    std::ostringstream out;
    out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height
        << "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
           "fill='#fff'/>\n";
    draw_axes(out, axes, shown.empty() ? "" : shown.front().load);
    std::size_t number = 0;
    for (const policy each : all_policies()) {
        std::vector<result> line;
        std::ranges::copy_if(shown, std::back_inserter(line),
                             [&](const result& item) { return item.policy == each; });
        std::ranges::sort(line, {}, &result::cores);
        if (!line.empty()) draw_line(out, axes, line, number++);
    }
    out << "</svg>\n";
    return out.str();
}

} // namespace weft::sim
