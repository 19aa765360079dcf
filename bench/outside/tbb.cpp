#include "outside/config.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <memory>

namespace bench::outside {
namespace {

/// No place is kept for the producers: the workers alone run tasks.
struct tbb_pool {
    explicit tbb_pool(std::size_t count) : threads{count}, arena{static_cast<int>(count), 0} {}
    // The smallest such limit applies to all arenas, so each burst has its own.
    void before() {
        control = std::make_unique<tbb::global_control>(
            tbb::global_control::max_allowed_parallelism, threads + 1);
    }
    void after() { control.reset(); }
    template <class Task>
    void submit(const Task& task) {
        arena.enqueue(task);
    }
    std::size_t threads;
    std::unique_ptr<tbb::global_control> control;
    tbb::task_arena arena;
};

const registration registered{{"outside", "tbb", contestants<tbb_pool>}};

} // namespace
} // namespace bench::outside
