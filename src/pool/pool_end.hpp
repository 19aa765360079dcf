// When a pool is over.
#pragma once

#include "lockfree/intake.hpp"

#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>

namespace weft::inline v0::detail {

/// The end of a pool, step by step: the intake closes; threads that were inside leave, so nothing
/// more comes from outside; tasks that run may still submit. When all workers are asleep and there
/// is nothing to do, that stays so: the pool is over. The first thread to see it wakes all, and
/// the threads end. So no worker leaves while another is busy and may want help.
///
/// | operation | called by | progress |
/// |-----------|-----------------------------------------------------------------|----------|
/// | look      | a worker that fell asleep; the thread that closed the intake, when it is quiet | wait-free |
/// | over      | any                                                             | wait-free |
/// | closing   | a worker that has found nothing to do                           | wait-free |
///
/// Invariants
///  E1  It is over only if nothing is queued, nothing runs, and nothing can come any more. What was
///      found empty stays so unless a worker is awake to fill it, and a worker that is awake
///      empties its own queue and the inbox before it falls asleep; so look for work first, then
///      for sleepers. Timers, which are work once the intake is closed (E3), it empties too.
///  E2  The end is noticed: the thread that closes the intake looks afterwards, and so does a
///      worker that falls asleep, with a seq_cst fence between the two steps of each. The last of
///      them sees what all others did.
///  E3  A worker that had not seen the closing may have started a timer. Before it falls asleep it
///      calls `closing`, with a seq_cst fence before the look at the intake: either look() sees the
///      timer, or the worker sees the closing and does not fall asleep before no timer is pending.
class pool_end {
public:
    pool_end(const intake& outside, const sleep_control& sleep) noexcept
        : intake_{&outside}, sleep_{&sleep} {}

    [[nodiscard]] bool over() const noexcept {
        return over_.load(sync::acquire); // pairs with the fence in look() [END-2]
    }

    /// True if the pool is over. Calls `wake_all` if no thread has seen that before.
    template <class HasWork, class WakeAll>
    bool look(HasWork has_work, WakeAll wake_all) noexcept {
        if (over()) return true;
        if (!intake_->quiet()) return false;
        // E2, E3, pairs with the fences in sleep_control::fall_asleep() and closing() [END-1]
        sync::fence(sync::seq_cst);
        if (has_work() || !sleep_->all_asleep()) return false;
        over_.store(true, sync::relaxed); // behind the fence, which releases
        wake_all();
        return true;
    }

    /// Whether nothing comes from outside any more; if not, look() will see the caller's timers.
    [[nodiscard]] bool closing() const noexcept {
        sync::fence(sync::seq_cst); // E3, pairs with the fence in look() [END-3]
        return intake_->closed();
    }

private:
    const intake* intake_;
    const sleep_control* sleep_;
    sync::atomic<bool> over_{false};
};

} // namespace weft::inline v0::detail
