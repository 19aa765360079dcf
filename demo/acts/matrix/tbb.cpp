#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace weft::demo::matrix {
namespace {

void multiply(matrices& all, const part& where) {
    if (where.is_block()) return multiply_block(all, where);
    tbb::task_group group;
    group.run([&all, &where] { multiply(all, where.half(true)); });
    multiply(all, where.half(false));
    group.wait();
}

} // namespace

outcome with_tbb(const settings& how) {
    tbb::task_arena arena{static_cast<int>(how.threads)};
    return measure(how, [&](matrices& all, const part& whole) {
        arena.execute([&] { multiply(all, whole); });
    });
}

} // namespace weft::demo::matrix
