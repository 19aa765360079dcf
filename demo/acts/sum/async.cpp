#include "acts/sum/acts.hpp"
#include "acts/sum/numbers.hpp"

#include <bit>
#include <future>

namespace weft::demo::sum {
namespace {

/// As in the figure, except for the type of the range.
int parallel_sum(numbers some) {
    if (some.size() < grain) return sum_serially(some);
    const std::size_t half = some.size() / 2;
    auto right = std::async(std::launch::async, parallel_sum, some.subspan(half));
    const int left = parallel_sum(some.first(half));
    return left + right.get();
}

/// The usual remedy: no forks below a depth that suits the machine.
int sum_down_to(numbers some, int depth) {
    if (depth == 0) return sum_serially(some);
    const std::size_t half = some.size() / 2;
    auto right = std::async(std::launch::async, sum_down_to, some.subspan(half), depth - 1);
    const int left = sum_down_to(some.first(half), depth - 1);
    return left + right.get();
}

} // namespace

outcome with_async(const settings& settings) { return measure(settings, parallel_sum); }

outcome with_async_and_cut_off(const settings& settings) {
    // Eight tasks or more for each thread.
    const int depth = static_cast<int>(std::bit_width(settings.threads - 1)) + 3;
    return measure(settings, [depth](numbers all) { return sum_down_to(all, depth); });
}

} // namespace weft::demo::sum
