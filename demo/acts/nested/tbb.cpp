#include "acts/nested/acts.hpp"
#include "acts/nested/fibonacci.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace weft::demo::nested {
namespace {

std::int64_t fibonacci(int n) {
    if (n < 2) return n;
    std::int64_t one = 0;
    std::int64_t two = 0;
    tbb::task_group group;
    group.run([&one, n] { one = fibonacci(n - 1); });
    group.run([&two, n] { two = fibonacci(n - 2); });
    group.wait();
    return one + two;
}

} // namespace

outcome with_tbb(const settings& settings) {
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    return measure([&] { return arena.execute([] { return fibonacci(number); }); });
}

} // namespace weft::demo::nested
