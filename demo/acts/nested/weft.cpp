#include "acts/nested/acts.hpp"
#include "acts/nested/fibonacci.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace weft::demo::nested {
namespace {

/// With futures, as for any pool; `fork_join` would be shorter and faster.
std::int64_t fibonacci(pool& workers, int n) {
    if (n < 2) return n;
    auto one = workers.submit([&workers, n] { return fibonacci(workers, n - 1); });
    auto two = workers.submit([&workers, n] { return fibonacci(workers, n - 2); });
    return one.get() + two.get(); // the worker runs what it waits for
}

} // namespace

outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    return measure([&] { return workers.run([&] { return fibonacci(workers, number); }); });
}

} // namespace weft::demo::nested
