// The firings of a run as text: a line for each step, with elements joined by " | ".
#pragma once

#include <string>
#include <string_view>
#include <vector>
#include <weft/api.hpp>

namespace weft::inline v0::petri {

/// One firing.
struct trace_element {
    /// The name of the transition.
    std::string transition;
    /// Its values, as in "(a, b)"; may be empty if only one binding is enabled.
    std::string values;

    friend bool operator==(const trace_element&, const trace_element&) = default;
};

/// A run, as the firings of each step.
struct trace {
    /// The steps, in their order.
    std::vector<std::vector<trace_element>> steps;

    friend bool operator==(const trace&, const trace&) = default;
};

/// The trace as text.
[[nodiscard]] WEFT_API std::string write_trace(const trace& recorded);
/// Ignores lines that are empty or begin with '#'. An error names the line.
[[nodiscard]] WEFT_API trace read_trace(std::string_view text);

} // namespace weft::inline v0::petri
