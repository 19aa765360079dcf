#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <bit>
#include <future>

namespace weft::demo::matrix {
namespace {

/// Threads down to a certain depth, as in the sum.
void multiply(matrices& all, const part& area, int depth) {
    if (depth == 0 || area.is_block()) return multiply_serially(all, area);
    auto right = std::async(std::launch::async,
                            [&all, &area, depth] { multiply(all, area.half(true), depth - 1); });
    multiply(all, area.half(false), depth - 1);
    right.get();
}

} // namespace

outcome with_async(const settings& settings) {
    const int depth = static_cast<int>(std::bit_width(settings.threads - 1)) + 3;
    return measure(settings,
                   [depth](matrices& all, const part& whole) { multiply(all, whole, depth); });
}

} // namespace weft::demo::matrix
