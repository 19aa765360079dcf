#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <bit>
#include <future>

namespace weft::demo::matrix {
namespace {

/// Threads down to some depth, as in the sum.
void multiply(matrices& all, const part& where, int depth) {
    if (depth == 0 || where.is_block()) return multiply_serially(all, where);
    auto right = std::async(std::launch::async,
                            [&all, &where, depth] { multiply(all, where.half(true), depth - 1); });
    multiply(all, where.half(false), depth - 1);
    right.get();
}

} // namespace

outcome with_async(const settings& how) {
    const int depth = static_cast<int>(std::bit_width(how.threads - 1)) + 3;
    return measure(how, [depth](matrices& all, const part& whole) { multiply(all, whole, depth); });
}

} // namespace weft::demo::matrix
