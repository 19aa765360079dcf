// The firings of a run as text: a line for each step, with elements joined by " | ".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::petri {

struct trace_element {
    std::string transition;
    std::string values; // "(a, b)"; may be empty if only one binding is enabled

    friend bool operator==(const trace_element&, const trace_element&) = default;
};

struct trace {
    std::vector<std::vector<trace_element>> steps;

    friend bool operator==(const trace&, const trace&) = default;
};

[[nodiscard]] std::string write_trace(const trace& recorded);
/// Ignores lines that are empty or begin with '#'. An error names the line.
[[nodiscard]] trace read_trace(std::string_view text);

} // namespace weft::petri
