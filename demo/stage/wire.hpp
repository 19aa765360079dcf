// Results as JSON: from an act to the demonstration, and from there to the report.
#pragma once

#include "stage/show.hpp"

#include <string>

namespace weft::demo {

[[nodiscard]] std::string write_outcome(const outcome& result);
/// Throws std::runtime_error if the text is no outcome.
[[nodiscard]] outcome read_outcome(const std::string& text);

/// The machine that was measured.
struct machine {
    std::string weft;
    std::string compiler;
    std::string processor;
    std::string system;
    std::size_t cpus = 0;
};

[[nodiscard]] std::string write_report(const show_report& all, const machine& machine);

} // namespace weft::demo
