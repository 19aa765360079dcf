#include "page/page.hpp"

#include <stdexcept>

namespace weft::demo {

std::string make_page(const std::string& report) {
    constexpr std::string_view place = "{\"here\": \"the figures\"}";
    const auto found = report_page.find(place);
    if (found == std::string_view::npos)
        throw std::logic_error{"the page has no place for figures"};
    // No text of the figures can end the script that they are in.
    std::string safe;
    for (const char each : report) {
        if (each == '<') safe += "\\u003c";
        else safe += each;
    }
    return std::string{report_page.substr(0, found)} + safe +
           std::string{report_page.substr(found + place.size())};
}

} // namespace weft::demo
