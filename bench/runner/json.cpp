#include "runner/report.hpp"

#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

namespace bench {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char each : text) {
        if (static_cast<unsigned char>(each) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(each));
            out += code;
        } else {
            if (each == '"' || each == '\\') out += '\\';
            out += each;
        }
    }
    return out + '"';
}

std::string json(const std::string& text) { return quoted(text); }
std::string json(std::int64_t number) { return std::to_string(number); }
std::string json(double number) {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << number;
    return text.str();
}

std::string json_params(const result& of) {
    std::string out;
    for (const parameters* some : {&of.problem, &of.limits}) {
        for (const auto& [name, value] : *some) {
            if (!out.empty()) out += ", ";
            out += quoted(name) + ": ";
            out += std::visit([](const auto& known) { return json(known); }, value);
        }
    }
    return "{" + out + "}";
}

} // namespace

void print_json(std::ostream& out, const std::vector<result>& results) {
    out << '[';
    const char* separator = "\n";
    for (const result& each : results) {
        for (const sample& median : each.medians) {
            out << separator << "  {\"workload\": " << quoted(each.workload)
                << ", \"params\": " << json_params(each) << ", \"lib\": " << quoted(each.library)
                << ", \"threads\": " << each.threads << ", \"metric\": " << quoted(median.metric)
                << ", \"value\": " << json(median.value) << ", \"unit\": " << quoted(median.unit)
                << ", \"runs\": " << each.runs << '}';
            separator = ",\n";
        }
    }
    out << "\n]\n";
}

} // namespace bench
