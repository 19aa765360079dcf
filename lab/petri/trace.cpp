#include <weft/lab/trace.hpp>

#include <weft/lab/error.hpp>

#include <utility>

namespace weft::inline v0::petri {

namespace {

constexpr std::string_view joint = " | ";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A transition's name may contain spaces and dots; its values begin at the first parenthesis.
trace_element read_element(std::string_view text, std::size_t line) {
    const std::string_view whole = trimmed(text);
    const auto parenthesis = whole.find('(');
    trace_element read{std::string{trimmed(whole.substr(0, parenthesis))}, {}};
    if (parenthesis != std::string_view::npos) read.values = whole.substr(parenthesis);
    if (read.transition.empty() || read.transition.find('|') != std::string::npos ||
        (!read.values.empty() && read.values.back() != ')')) {
        throw error{fault::bad_trace, "line " + std::to_string(line) + ": '" + std::string{whole} +
                                          "' is not a firing"};
    }
    return read;
}

std::vector<trace_element> read_step(std::string_view text, std::size_t line) {
    std::vector<trace_element> step;
    for (;;) {
        const auto end = text.find(joint);
        step.push_back(read_element(text.substr(0, end), line));
        if (end == std::string_view::npos) return step;
        text.remove_prefix(end + joint.size());
    }
}

} // namespace

std::string write_trace(const trace& recorded) {
    std::string text;
    for (const auto& step : recorded.steps) {
        std::string line;
        for (const trace_element& each : step) {
            if (!line.empty()) line += joint;
            line += each.transition + each.values;
        }
        text += line + "\n";
    }
    return text;
}

trace read_trace(std::string_view text) {
    trace read;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const auto end = text.find('\n');
        const std::string_view kept = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!kept.empty() && kept.front() != '#') read.steps.push_back(read_step(kept, line));
    }
    return read;
}

} // namespace weft::inline v0::petri
