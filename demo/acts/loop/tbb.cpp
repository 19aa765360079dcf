#include "acts/loop/acts.hpp"
#include "acts/loop/elements.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace weft::demo::loop {

outcome with_tbb(const settings& settings) {
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    return measure(settings, settings.threads, [&](elements& all) {
        arena.execute([&] {
            tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { all.compute(i); });
        });
    });
}

} // namespace weft::demo::loop
