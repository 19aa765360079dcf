#include "shell/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace weft::cli {
namespace {

/// The number of letters to insert and delete to turn one into the other.
std::size_t edit_distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : one) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t edited = std::min(row[j], row[j + 1]) + 1;
            const std::size_t kept = std::exchange(diagonal, row[j + 1]);
            row[j + 1] = letter == other[j] ? kept : edited;
        }
    }
    return row.back();
}

} // namespace

std::string nearest_text(std::string_view name, std::span<const std::string> all) {
    if (all.empty()) return {};
    const auto distance = [&](const std::string& each) { return edit_distance(name, each); };
    const auto found = std::ranges::min_element(all, {}, distance);
    if (distance(*found) > std::max<std::size_t>(2, name.size() / 2)) return {};
    return "; did you mean '" + *found + "'?";
}

} // namespace weft::cli
