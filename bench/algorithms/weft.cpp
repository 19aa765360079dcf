#include "algorithms/config.hpp"

#include "runner/weft_stage.hpp"

#include <weft/algorithm.hpp>

namespace bench::algorithms {
namespace {

/// Called on a worker, or from outside with the pool as the first argument.
template <class Stage>
struct on_weft : Stage {
    using Stage::Stage;

    void loop(numbers input, numbers output) {
        this->apply([&](auto&... home) {
            weft::parallel_for(home..., std::size_t{0}, input.size(),
                               [&](std::size_t i) { output[i] = triple(input[i]); });
        });
    }
    std::uint64_t reduce(numbers input) {
        std::uint64_t sum = 0;
        this->apply(
            [&](auto&... home) { sum = weft::parallel_reduce(home..., input, std::uint64_t{0}); });
        return sum;
    }
    void scan(numbers input, numbers output) {
        this->apply(
            [&](auto&... home) { weft::parallel_inclusive_scan(home..., input, output.begin()); });
    }
    void sort(numbers input) {
        this->apply([&](auto&... home) { weft::parallel_sort(home..., input); });
    }
    void stable_sort(numbers input) {
        this->apply([&](auto&... home) { weft::parallel_stable_sort(home..., input); });
    }
    std::uint64_t find(numbers input, std::uint32_t wanted) {
        std::uint64_t place = 0;
        this->apply([&](auto&... home) {
            place = static_cast<std::uint64_t>(weft::parallel_find(home..., input, wanted) -
                                               input.begin());
        });
        return place;
    }
    void skewed(numbers output) {
        this->apply([&](auto&... home) {
            weft::parallel_for(home..., std::size_t{0}, output.size(),
                               [&](std::size_t i) { output[i] = skewed_work(i, output.size()); });
        });
    }
};

struct inside : weft_stage {
    using weft_stage::weft_stage;
    template <class Call>
    static void apply(const Call& call) {
        call();
    }
};

struct outside {
    explicit outside(const request& request) : pool{request.threads} {}
    void before() {
        pool.run([] {});
    }
    template <class Body>
    auto run(const Body& body) {
        return body();
    }
    void after() {}
    template <class Call>
    void apply(const Call& call) {
        call(pool);
    }
    weft::pool pool;
};

const registration called_inside{{"algorithms", "weft", contestants<on_weft<inside>>}};
const registration called_outside{{"algorithms", "weft-outside", contestants<on_weft<outside>>}};

} // namespace
} // namespace bench::algorithms
