#include "models/problems.hpp"

namespace weft::models {

namespace {

matrix small_numbers(std::size_t rows, std::size_t columns, std::size_t start) {
    matrix made(rows, std::vector<std::int32_t>(columns));
    std::size_t next = start;
    for (auto& row : made) {
        for (std::int32_t& each : row) each = static_cast<std::int32_t>(next++ % 9) + 1;
    }
    return made;
}

} // namespace

matrix_product matrix_product::of_sizes(std::size_t m, std::size_t n, std::size_t p) {
    return {.a = small_numbers(m, n, 0), .b = small_numbers(n, p, 4)};
}

} // namespace weft::models
