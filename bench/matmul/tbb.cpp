#include "matmul/config.hpp"
#include "runner/tbb_stage.hpp"

namespace bench::matmul {
namespace {

void multiply(const product& some) {
    if (some.is_block()) return multiply_block(some);
    for (const std::size_t step : steps) {
        tbb::task_group group;
        group.run([&some, step] { multiply(some.part(0, 0, step)); });
        group.run([&some, step] { multiply(some.part(0, 1, step)); });
        group.run([&some, step] { multiply(some.part(1, 0, step)); });
        multiply(some.part(1, 1, step));
        group.wait();
    }
}

const registration registered{
    {"matmul", "tbb", [](const request& request) {
         return contestants<tbb_stage>(
             request, [](const tbb_stage& /*stage*/, const product& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
