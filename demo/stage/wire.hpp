// Results as JSON: from an act to the show, and from the show to whoever wants them.
#pragma once

#include "stage/show.hpp"

#include <string>

namespace weft::demo {

[[nodiscard]] std::string write_outcome(const outcome& told);
/// Throws std::runtime_error if it is none.
[[nodiscard]] outcome read_outcome(const std::string& text);

/// What the figures are to be read with.
struct machine {
    std::string weft;
    std::string compiler;
    std::string processor;
    std::string system;
    std::size_t cpus = 0;
};

[[nodiscard]] std::string write_report(const show_report& all, const machine& here);

} // namespace weft::demo
