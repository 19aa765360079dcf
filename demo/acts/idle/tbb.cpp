#include "acts/idle/acts.hpp"
#include "acts/idle/burst.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace weft::demo::idle {

outcome with_tbb(const settings& settings) {
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    arena.execute([] {
        tbb::task_group group;
        for (int each = 0; each != burst; ++each) group.run(work);
        group.wait();
    });
    return measure_idleness(settings);
}

} // namespace weft::demo::idle
