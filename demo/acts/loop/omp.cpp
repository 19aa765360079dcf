// OpenMP: what a schedule is good for depends on the loop.
#include "acts/loop/acts.hpp"
#include "acts/loop/elements.hpp"

namespace weft::demo::loop {

/// Equal shares of the indices, which is also what compilers choose if no schedule is named.
outcome with_static_schedule(const settings& settings) {
    const int threads = static_cast<int>(settings.threads);
    return measure(settings, settings.threads, [threads](elements& all) {
        const std::size_t count = all.size();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::size_t i = 0; i < count; ++i) all.compute(i);
    });
}

/// A chunk for this loop: small enough for its dear elements, large enough for its cheap ones.
outcome with_dynamic_schedule(const settings& settings) {
    const int threads = static_cast<int>(settings.threads);
    return measure(settings, settings.threads, [threads](elements& all) {
        const std::size_t count = all.size();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
        for (std::size_t i = 0; i < count; ++i) all.compute(i);
    });
}

} // namespace weft::demo::loop
