// Which CPUs workers run on.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace weft::inline v0::detail {

/// Kernels wake a thread on the CPU where it slept, or on that of its waker, and take many
/// milliseconds to notice that another CPU is idle. So workers start on different CPUs, and a
/// worker that wakes on the CPU of another moves to a free one. Only the worker itself calls these
/// functions for its index. What it knows of other workers is an estimate, which is good enough.
class cpu_placement {
public:
    /// Pinned: each worker stays where it began.
    cpu_placement(std::size_t workers, bool pinned);

    /// At the beginning of the worker's thread.
    void begin(std::size_t worker) noexcept;
    /// It is about to sleep, and takes no CPU.
    void leave(std::size_t worker) noexcept { taken_[worker].cpu.store(none, sync::relaxed); }
    /// It was woken: moves it if another worker is on the same CPU and one is free.
    void settle(std::size_t worker) noexcept;

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct alignas(64) worker_cpu {
        sync::atomic<std::size_t> cpu{none};
    };

    [[nodiscard]] bool is_taken(std::size_t cpu, std::size_t asking) const noexcept;

    const std::vector<std::size_t> cpus_; // that workers may run on
    const std::size_t workers_;
    const bool pinned_;
    std::unique_ptr<worker_cpu[]> taken_; // by each worker when it woke, or none
};

} // namespace weft::inline v0::detail
