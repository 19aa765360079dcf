// The report as one HTML file, which asks for nothing else.
#pragma once

#include <string>
#include <string_view>

namespace weft::demo {

/// The file report.html, in which the figures are to be put.
extern const std::string_view report_page;

/// `report` is what `write_report` gives.
[[nodiscard]] std::string make_page(const std::string& report);

} // namespace weft::demo
