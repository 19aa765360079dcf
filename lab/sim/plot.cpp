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

void draw_axes(std::ostringstream& out, const frame& at, const std::string& load) {
    out << "<text x=\"" << left << "\" y=\"24\" font-weight=\"bold\">" << load
        << ": makespan over T1/P + T∞</text>\n";
    for (double cores = 1; cores <= at.most_cores(); cores *= 4) {
        out << "<line x1=\"" << at.x(cores) << "\" x2=\"" << at.x(cores) << "\" y1=\"" << top
            << "\" y2=\"" << height - bottom << "\" stroke=\"#ddd\"/><text x=\"" << at.x(cores)
            << "\" y=\"" << height - bottom + 18 << "\" text-anchor=\"middle\">" << cores
            << "</text>\n";
    }
    for (double ratio = 0.5; ratio <= at.most_ratio(); ratio *= 2) {
        out << "<line x1=\"" << left << "\" x2=\"" << width - right << "\" y1=\"" << at.y(ratio)
            << "\" y2=\"" << at.y(ratio) << "\" stroke=\"#ddd\"/><text x=\"" << left - 8
            << "\" y=\"" << at.y(ratio) + 4 << "\" text-anchor=\"end\">" << ratio << "</text>\n";
    }
    out << "<text x=\"" << (left + width - right) / 2 << "\" y=\"" << height - 10
        << "\" text-anchor=\"middle\">cores</text>\n";
}

void draw_line(std::ostringstream& out, const frame& at, const std::vector<result>& line,
               std::size_t number) {
    const std::string_view colour = colours[number % colours.size()];
    out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
    for (const result& each : line) {
        out << at.x(static_cast<double>(each.cores)) << ',' << at.y(each.ratio()) << ' ';
    }
    const double y = top + 18 * static_cast<double>(number);
    out << "\"/><text x=\"" << width - right + 10 << "\" y=\"" << y + 10 << "\" fill=\"" << colour
        << "\">" << name_of(line.front().how) << "</text>\n";
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
        out << separator << "  {\"load\": \"" << each.load << "\", \"policy\": \""
            << name_of(each.how) << "\", \"cores\": " << each.cores << ", \"seed\": " << each.seed
            << ", \"tasks\": " << each.found.tasks << ", \"work_ns\": " << each.law.work
            << ", \"span_ns\": " << each.law.span << ", \"makespan_ns\": " << each.found.makespan
            << ", \"ratio\": " << each.ratio() << ", \"idle_ns\": " << each.found.idle
            << ", \"attempts\": " << each.found.attempts
            << ", \"failures\": " << each.found.failures << ", \"moved\": " << each.found.moved
            << ", \"messages\": " << each.found.messages
            << ", \"rebalances\": " << each.found.rebalances
            << ", \"latency_99_ns\": " << each.found.latency_99 << '}';
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
    const frame at{shown};
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
        << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"#fff\"/>\n";
    draw_axes(out, at, shown.empty() ? "" : shown.front().load);
    std::size_t number = 0;
    for (const policy each : all_policies()) {
        std::vector<result> line;
        std::ranges::copy_if(shown, std::back_inserter(line),
                             [&](const result& one) { return one.how == each; });
        std::ranges::stable_sort(line, {}, &result::cores);
        if (!line.empty()) draw_line(out, at, line, number++);
    }
    out << "</svg>\n";
    return out.str();
}

} // namespace weft::sim
