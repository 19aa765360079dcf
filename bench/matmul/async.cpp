#include "matmul/config.hpp"
#include "runner/async_stage.hpp"

#include <future>

namespace bench::matmul {
namespace {

/// Forks by four: half the depth gives as many tasks.
struct half_depth_stage : async_stage {
    using async_stage::async_stage;
    [[nodiscard]] int half_depth() const { return (depth() + 1) / 2; }
    [[nodiscard]] parameters limits() const {
        return {{"cut_off_depth", std::int64_t{half_depth()}}};
    }
};

void multiply(const product& some, int depth) {
    if (some.is_block()) return multiply_block(some);
    const auto launch = depth > 0 ? std::launch::async : std::launch::deferred;
    for (const std::size_t step : steps) {
        const auto part = [&some, step, depth](std::size_t row, std::size_t column) {
            multiply(some.part(row, column, step), depth - 1);
        };
        auto one = std::async(launch, part, 0, 0);
        auto two = std::async(launch, part, 0, 1);
        auto three = std::async(launch, part, 1, 0);
        part(1, 1);
        one.get();
        two.get();
        three.get();
    }
}

const registration registered{{"matmul", "async", [](const request& request) {
                                   return contestants<half_depth_stage>(
                                       request,
                                       [](const half_depth_stage& stage, const product& all) {
                                           multiply(all, stage.half_depth());
                                       });
                               }}};

} // namespace
} // namespace bench::matmul
