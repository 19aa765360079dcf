#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace weft::demo::matrix {
namespace {

void multiply(matrices& all, const part& area) {
    if (area.is_block()) return multiply_block(all, area);
    tbb::task_group group;
    group.run([&all, &area] { multiply(all, area.half(true)); });
    multiply(all, area.half(false));
    group.wait();
}

} // namespace

outcome with_tbb(const settings& settings) {
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    return measure(settings, [&](matrices& all, const part& whole) {
        arena.execute([&] { multiply(all, whole); });
    });
}

} // namespace weft::demo::matrix
