#include "latency/config.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>

namespace bench::latency {
namespace {

/// The caller takes no part: `enqueue` leaves the task to the workers, and a flag says when it is
/// done.
struct tbb_pool {
    explicit tbb_pool(std::size_t threads)
        : control{tbb::global_control::max_allowed_parallelism, threads + 1},
          arena{static_cast<int>(threads), 0} {}
    template <class Task>
    void run(const Task& task) {
        std::atomic<bool> done{false};
        arena.enqueue([&task, &done] {
            task();
            done.store(true, std::memory_order_release);
            done.notify_one();
        });
        done.wait(false, std::memory_order_acquire);
    }
    tbb::global_control control;
    tbb::task_arena arena;
};

const registration registered{{"latency", "tbb", contestants<tbb_pool>}};

} // namespace
} // namespace bench::latency
