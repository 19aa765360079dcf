// What somebody may have meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::cli {

/// How many letters must be added and taken away to make one of the other.
[[nodiscard]] inline std::size_t letters_between(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : one) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t apart = std::min(row[j], row[j + 1]) + 1;
            const std::size_t kept = std::exchange(diagonal, row[j + 1]);
            row[j + 1] = letter == other[j] ? kept : apart;
        }
    }
    return row.back();
}

/// "; the nearest is 'x'", or nothing if none is near.
[[nodiscard]] inline std::string nearest_text(std::string_view name,
                                              std::span<const std::string> all) {
    if (all.empty()) return {};
    const auto apart = [&](const std::string& each) { return letters_between(name, each); };
    const auto found = std::ranges::min_element(all, {}, apart);
    if (apart(*found) > std::max<std::size_t>(2, name.size() / 2)) return {};
    return "; the nearest is '" + *found + "'";
}

} // namespace weft::cli
