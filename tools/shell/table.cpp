#include "shell/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::cli {

table::table(std::vector<column> columns) {
    std::vector<std::string> head;
    for (column& each : columns) {
        sides_.push_back(each.side);
        head.push_back(std::move(each.name));
    }
    rows_.push_back(std::move(head));
}

void table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string table::text() const {
    // fmt measures a cell by what a terminal shows, not by its bytes.
    std::vector<std::size_t> widths(sides_.size());
    for (const auto& cells : rows_) {
        for (std::size_t i = 0; i != cells.size(); ++i) {
            const auto is_start = [](char byte) { return (byte & 0xC0) != 0x80; }; // of UTF-8
            const auto shown = std::ranges::count_if(cells[i], is_start);
            widths[i] = std::max(widths[i], static_cast<std::size_t>(shown));
        }
    }
    std::string text;
    for (const auto& cells : rows_) {
        std::string line;
        for (std::size_t i = 0; i != cells.size(); ++i) {
            if (i != 0) line += ' ';
            if (sides_[i] == align::left) line += fmt::format("{:<{}}", cells[i], widths[i]);
            else line += fmt::format("{:>{}}", cells[i], widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string four_digits(double value) {
    const int magnitude = value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
    return fmt::format("{:.{}f}", value, std::clamp(3 - magnitude, 0, 9));
}

} // namespace weft::cli
