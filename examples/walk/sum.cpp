#include <weft/weft.hpp>

#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

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

int main() {
    std::vector<int> numbers(10'000'000);
    std::iota(numbers.begin(), numbers.end(), 1);

    // [run]
    weft::pool pool; // one worker per usable CPU
    std::cout << pool.run([&] { return sum(numbers); }) << '\n';
    // [/run]
}
