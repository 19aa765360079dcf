#include "algorithms/config.hpp"

#include "runner/serial_stage.hpp"

namespace bench::algorithms {
namespace {

struct serial : serial_stage {
    using serial_stage::serial_stage;

    static void loop(numbers input, numbers output) {
        std::ranges::transform(input, output.begin(), triple);
    }
    static std::uint64_t reduce(numbers input) {
        return std::accumulate(input.begin(), input.end(), std::uint64_t{0});
    }
    static void scan(numbers input, numbers output) {
        std::inclusive_scan(input.begin(), input.end(), output.begin());
    }
    static void sort(numbers input) { std::ranges::sort(input); }
    static void stable_sort(numbers input) { std::ranges::stable_sort(input); }
    static std::uint64_t find(numbers input, std::uint32_t wanted) {
        return static_cast<std::uint64_t>(std::ranges::find(input, wanted) - input.begin());
    }
    static void skewed(numbers output) {
        for (std::size_t i = 0; i != output.size(); ++i) output[i] = skewed_work(i, output.size());
    }
};

const registration registered{{"algorithms", serial_library, contestants<serial>}};

} // namespace
} // namespace bench::algorithms
