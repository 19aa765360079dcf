#include "models/matrix_division.hpp"

#include <algorithm>
#include <utility>

namespace weft::models {

namespace {

constexpr int leaf = 1;
constexpr int pair_of_columns = 2;
constexpr int pair_of_rows = 5;

std::int32_t last_of_first_half(int status, std::int32_t first, std::int32_t last) {
    if (status == pair_of_columns || status == pair_of_rows) return first;
    if (status == 3 || status == 6) return (first + last) / 2;
    return last / 2;
}

} // namespace

std::string normal_thread::text() const {
    std::string written = "(T";
    written += std::to_string(id) + ",T" + std::to_string(father);
    for (const std::int32_t each : {first_row, last_row, inner, first_column, last_column}) {
        written += ',';
        written += std::to_string(each);
    }
    return written += ')';
}

int status_of(const normal_thread& whole) {
    if (whole.first_row == whole.last_row) {
        if (whole.first_column == whole.last_column) return leaf;
        if (whole.last_column == whole.first_column + 1) return pair_of_columns;
        return whole.last_column / 2 < whole.first_column ? 3 : 4;
    }
    if (whole.last_row == whole.first_row + 1) return pair_of_rows;
    return whole.last_row / 2 < whole.first_row ? 6 : 7;
}

std::vector<normal_thread> halves_of(const normal_thread& whole) {
    const int status = status_of(whole);
    normal_thread left = whole;
    normal_thread right = whole;
    left.id = whole.id * 2;
    right.id = left.id + 1;
    left.father = right.father = whole.id;
    if (status < pair_of_rows) {
        left.last_column = last_of_first_half(status, whole.first_column, whole.last_column);
        right.first_column = left.last_column + 1;
    } else {
        left.last_row = last_of_first_half(status, whole.first_row, whole.last_row);
        right.first_row = left.last_row + 1;
    }
    return {left, right};
}

matrix_parts divide(const normal_thread& whole, std::size_t most) {
    const int status = status_of(whole);
    if (status == leaf) return {{}, {{whole.first_row, whole.inner, whole.first_column}}};
    std::vector<normal_thread> level = halves_of(whole);
    if (status == pair_of_columns || status == pair_of_rows) return {std::move(level), {}};
    const auto is_leaf = [](const normal_thread& each) { return status_of(each) == leaf; };
    while (level.size() * 2 <= most && std::ranges::none_of(level, is_leaf)) {
        std::vector<normal_thread> next;
        for (const normal_thread& each : level) {
            const auto halves = halves_of(each);
            next.insert(next.end(), halves.begin(), halves.end());
        }
        level = std::move(next);
    }
    return {std::move(level), {}};
}

} // namespace weft::models
