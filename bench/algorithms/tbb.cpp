// oneTBB's own algorithms, and those of the standard library, which libstdc++ runs on oneTBB.
#include "algorithms/config.hpp"

#include "runner/tbb_stage.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <execution>
#include <functional>

namespace bench::algorithms {
namespace {

/// What is written for each element, whichever library calls it.
struct element_writer {
    const std::uint32_t* first;
    std::uint32_t* output;
    void operator()(const std::uint32_t& element) const {
        output[&element - first] = triple(element);
    }
};

struct standard : tbb_stage {
    using tbb_stage::tbb_stage;
    static constexpr auto policy = std::execution::par;

    static void loop(numbers input, numbers output) {
        std::for_each(policy, input.begin(), input.end(),
                      element_writer{input.data(), output.data()});
    }
    static std::uint64_t reduce(numbers input) {
        return std::reduce(policy, input.begin(), input.end(), std::uint64_t{0});
    }
    static void scan(numbers input, numbers output) {
        std::inclusive_scan(policy, input.begin(), input.end(), output.begin());
    }
    static void sort(numbers input) { std::sort(policy, input.begin(), input.end()); }
    static void stable_sort(numbers input) { std::stable_sort(policy, input.begin(), input.end()); }
    static std::uint64_t find(numbers input, std::uint32_t wanted) {
        return static_cast<std::uint64_t>(std::find(policy, input.begin(), input.end(), wanted) -
                                          input.begin());
    }
    static void skewed(numbers output) {
        std::for_each(policy, output.begin(), output.end(), [output](std::uint32_t& element) {
            element =
                skewed_work(static_cast<std::size_t>(&element - output.data()), output.size());
        });
    }
};

/// Where oneTBB has no algorithm (a stable sort, a search), the one of the standard library.
struct one_tbb : standard {
    using standard::standard;
    using range = tbb::blocked_range<std::size_t>;

    static void loop(numbers input, numbers output) {
        tbb::parallel_for(range{0, input.size()}, [=](const range& part) {
            for (std::size_t i = part.begin(); i != part.end(); ++i) output[i] = triple(input[i]);
        });
    }
    static std::uint64_t reduce(numbers input) {
        return tbb::parallel_reduce(
            range{0, input.size()}, std::uint64_t{0},
            [=](const range& part, std::uint64_t sum) {
                for (std::size_t i = part.begin(); i != part.end(); ++i) sum += input[i];
                return sum;
            },
            std::plus<>{});
    }
    static void scan(numbers input, numbers output) {
        tbb::parallel_scan(
            range{0, input.size()}, std::uint32_t{0},
            [=](const range& part, std::uint32_t sum, bool is_final) {
                for (std::size_t i = part.begin(); i != part.end(); ++i) {
                    sum += input[i];
                    if (is_final) output[i] = sum;
                }
                return sum;
            },
            std::plus<>{});
    }
    static void sort(numbers input) { tbb::parallel_sort(input.begin(), input.end()); }
    static void skewed(numbers output) {
        tbb::parallel_for(range{0, output.size()}, [=](const range& part) {
            for (std::size_t i = part.begin(); i != part.end(); ++i) {
                output[i] = skewed_work(i, output.size());
            }
        });
    }
};

const registration with_tbb{{"algorithms", "tbb", contestants<one_tbb>}};
const registration with_standard{{"algorithms", "std-par", contestants<standard>}};

} // namespace
} // namespace bench::algorithms
