#include "acts/sum/acts.hpp"
#include "acts/sum/numbers.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace weft::demo::sum {
namespace {

int parallel_sum(numbers some) {
    if (some.size() < grain) return sum_serially(some);
    const std::size_t half = some.size() / 2;
    int right = 0;
    tbb::task_group group;
    group.run([&right, part = some.subspan(half)] { right = parallel_sum(part); });
    const int left = parallel_sum(some.first(half));
    group.wait();
    return left + right;
}

} // namespace

outcome with_tbb(const settings& settings) {
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    return measure(settings,
                   [&](numbers all) { return arena.execute([&] { return parallel_sum(all); }); });
}

} // namespace weft::demo::sum
