// The extra threads of a pool, which stand in for workers that block.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/parker.hpp>

#include <cstddef>
#include <memory>

namespace weft::inline v0::detail {

/// As many stand-ins work as workers block; the others wait here.
///
/// | operation        | called by                            | progress         |
/// |------------------|--------------------------------------|------------------|
/// | call, dismiss    | a worker that blocks, before and after | wait-free      |
/// | is_surplus       | any thread                           | wait-free        |
/// | wait             | a stand-in, about itself             | blocks           |
/// | wake_all         | any thread                           | wait-free        |
///
/// Invariants
///  Y1  The number of a stand-in decides: the first works while one blocks, the second while two
///      do, and so on. Which worker it stands in for does not matter.
///  Y2  A call wakes the stand-in that is now needed by its count. A dismissal wakes no thread: a
///      stand-in that is no longer needed notices when it has run its own tasks.
class alignas(64) standby { // in a cache line of its own: workers read it after every task
public:
    /// Stand-ins have the indices from `workers` on.
    standby(std::size_t workers, std::size_t extra)
        : workers_{workers}, extra_{extra}, parkers_{std::make_unique<sync::parker[]>(extra)} {}

    void call() noexcept {
        const std::size_t before = blocked_.fetch_add(1, sync::relaxed);
        if (before < extra_) parkers_[before].unpark(); // Y2
    }
    void dismiss() noexcept { blocked_.fetch_sub(1, sync::relaxed); }

    /// Whether this index is that of a stand-in that is not needed now (Y1).
    [[nodiscard]] bool is_surplus(std::size_t index) const noexcept {
        return index >= workers_ + blocked_.load(sync::relaxed);
    }
    [[nodiscard]] bool is_stand_in(std::size_t index) const noexcept { return index >= workers_; }

    /// Returns when the stand-in is needed, or when `over()`, which is checked whenever it is
    /// woken.
    template <class Over>
    void wait(std::size_t index, Over over) noexcept {
        while (is_surplus(index) && !over()) parkers_[index - workers_].park();
    }
    void wake_all() noexcept {
        for (std::size_t each = 0; each < extra_; ++each) parkers_[each].unpark();
    }

private:
    const std::size_t workers_;
    const std::size_t extra_;
    const std::unique_ptr<sync::parker[]> parkers_;
    sync::atomic<std::size_t> blocked_{0};
};

} // namespace weft::inline v0::detail
