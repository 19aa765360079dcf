// Loops of OpenMP, and the sorts and the search that libstdc++'s parallel mode builds on it.
#include "algorithms/config.hpp"

#include <omp.h>
#include <parallel/algorithm>

namespace bench::algorithms {
namespace {

struct openmp {
    explicit openmp(const request& request) : threads{static_cast<int>(request.threads)} {}
    void before() const {
        omp_set_num_threads(threads);
#pragma omp parallel num_threads(threads)
        {
        }
    }
    template <class Body>
    auto run(const Body& body) const {
        return body();
    }
    /// The team would keep spinning, and slow down the next measurement.
    static void after() { omp_pause_resource_all(omp_pause_soft); }

    void loop(numbers input, numbers output) const {
        const std::size_t count = input.size();
#pragma omp parallel for num_threads(threads)
        for (std::size_t i = 0; i < count; ++i) output[i] = triple(input[i]);
    }
    [[nodiscard]] std::uint64_t reduce(numbers input) const {
        std::uint64_t sum = 0;
        const std::size_t count = input.size();
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (std::size_t i = 0; i < count; ++i) sum += input[i];
        return sum;
    }
// g++ 12 warns of the copy of the sum that it makes for the scan itself.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
    void scan(numbers input, numbers output) const {
        std::uint32_t sum = 0;
        const std::size_t count = input.size();
#pragma omp parallel for num_threads(threads) reduction(inscan, + : sum)
        for (std::size_t i = 0; i < count; ++i) {
            sum += input[i];
#pragma omp scan inclusive(sum)
            output[i] = sum;
        }
    }
#pragma GCC diagnostic pop
    void sort(numbers input) const { __gnu_parallel::sort(input.begin(), input.end(), team()); }
    void stable_sort(numbers input) const {
        __gnu_parallel::stable_sort(input.begin(), input.end(), team());
    }
    [[nodiscard]] static std::uint64_t find(numbers input, std::uint32_t wanted) {
        return static_cast<std::uint64_t>(__gnu_parallel::find(input.begin(), input.end(), wanted) -
                                          input.begin());
    }
    void skewed(numbers output) const {
        const std::size_t count = output.size();
#pragma omp parallel for num_threads(threads)
        for (std::size_t i = 0; i < count; ++i) output[i] = skewed_work(i, count);
    }

private:
    [[nodiscard]] __gnu_parallel::default_parallel_tag team() const {
        return __gnu_parallel::default_parallel_tag(
            static_cast<__gnu_parallel::_ThreadIndex>(threads));
    }
    int threads;
};

const registration registered{{"algorithms", "omp", contestants<openmp>}};

} // namespace
} // namespace bench::algorithms
