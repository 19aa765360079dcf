// The sum of ten million numbers, as the textbooks write it with std::async, and with fork_join.
#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

namespace {

// [sum]
std::int64_t sum(std::span<const int> numbers) {
    if (numbers.size() <= 1'000) {
        return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
    }
    const auto half = numbers.size() / 2;
    const auto [left, right] = weft::fork_join([&] { return sum(numbers.first(half)); },
                                               [&] { return sum(numbers.subspan(half)); });
    return left + right;
}
// [/sum]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    // [run]
    std::vector<int> numbers(10'000'000);
    std::iota(numbers.begin(), numbers.end(), 1);

    weft::pool pool; // as many workers as there are CPUs to be used
    const std::int64_t total = pool.run([&] { return sum(numbers); });
    // [/run]
    return total == 50'000'005'000'000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
