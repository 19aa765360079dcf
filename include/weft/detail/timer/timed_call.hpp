// Callables that timers run.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/pool/error_handler.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/timer/run_gate.hpp>
#include <weft/detail/timer/timers.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// A callable that a timer runs, once or again and again, as a task of its pool. Two hold it: the
/// handle, and the timer or the task that it has become. The last to let go frees it.
///
/// | operation      | called by                                       | progress                |
/// |----------------|-------------------------------------------------|-------------------------|
/// | cancel, move   | the owner of the handle                         | as timer_queue          |
/// | let_go         | each holder, once                               | wait-free               |
/// | skipped        | the owner of the handle                         | wait-free               |
///
/// Invariants
///  TC1  The callable belongs to one thread at a time: to the task that runs it, or to the caller
///       of `cancel` from the moment at which that returns true. Then nothing runs it any more.
///  TC2  A periodic one is armed, or its task is queued or runs. Only that task arms it again; so
///       it never runs concurrently with itself.
///  TC3  The gate decides between a run and a cancellation. Before a run ends at the gate, the
///       timer is idle again: a canceller that comes later cancels the timer, or keeps it from
///       being started.
class WEFT_API timed_call : public task, public timer_node {
public:
    timed_call(const timed_call&) = delete;
    timed_call& operator=(const timed_call&) = delete;

    /// Starts it, once; the caller owns the handle. If that fails, it is destroyed, and the call
    /// throws `stopped` or std::bad_alloc. A pool that is stopping does not run it.
    void start(alarm_time alarm, const char* call);
    /// True if the caller has prevented the next run, and no run is under way. False if one has
    /// begun, which is the last; or if it was cancelled before.
    [[nodiscard]] bool cancel() noexcept;
    /// As move_timer; not for a periodic one.
    [[nodiscard]] bool move(alarm_time alarm) noexcept { return move_timer(*this, alarm); }
    void let_go() noexcept {
        // release for the use that ends here, acquire for the last to free it [CALL-1]
        if (holders_.fetch_sub(1, sync::acq_rel) == 1) destroy();
    }
    [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_.load(sync::relaxed); }

protected:
    /// A period of 0: it runs once.
    timed_call(pool_front& home, std::int64_t period) noexcept;
    virtual ~timed_call() = default;

    virtual void invoke_callable() = 0;
    virtual void drop_callable() noexcept = 0;
    virtual void destroy() noexcept = 0;

private:
    static void ended_timer(timer_node& self, timer_end reason) noexcept;
    static void run_task(task& self, worker& caller) noexcept;
    void run_callable(worker& caller) noexcept;
    void end_unrun(const pool_front& pool) noexcept;
    [[nodiscard]] bool try_arm_again() noexcept;

    pool_front* const home_;
    const std::int64_t period_;
    alarm_time due_ = 0; // when the present run was due
    sync::atomic<std::uint64_t> skipped_{0};
    run_gate gate_;
    sync::atomic<std::uint32_t> holders_{2};
};

/// With a callable of this type.
template <class Body>
class timed_callable final : public timed_call {
public:
    template <class Source>
    [[nodiscard]] static timed_callable* make(pool_front& home, std::int64_t period,
                                              Source&& source) {
        std::unique_ptr<void, raw_memory> memory{
            allocate_task(sizeof(timed_callable), alignof(timed_callable), &home)};
        auto* made =
            ::new (memory.get()) timed_callable(home, period, std::forward<Source>(source));
        static_cast<void>(memory.release());
        return made;
    }

private:
    struct raw_memory {
        void operator()(void* memory) const noexcept {
            free_task(memory, sizeof(timed_callable), alignof(timed_callable));
        }
    };

    template <class Source>
    timed_callable(pool_front& home, std::int64_t period, Source&& source)
        : timed_call{home, period}, body_{std::in_place, std::forward<Source>(source)} {}

    void invoke_callable() override { static_cast<void>(std::invoke(*body_)); }
    void drop_callable() noexcept override { body_.reset(); }
    void destroy() noexcept override {
        std::destroy_at(this);
        raw_memory{}(this);
    }

    std::optional<Body> body_;
};

} // namespace weft::inline v0::detail
