// A place where one waiter announces that it wants to be woken.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>

namespace weft::inline v0::detail {

/// At most one waiter at a time registers here; `ring` returns it, to be woken.
///
/// | operation       | caller     | progress                              |
/// |-----------------|------------|---------------------------------------|
/// | try_wait, leave | the waiter | wait-free                             |
/// | ring            | the ringer | wait-free; a load if there is no waiter |
///
/// Invariants
///  B1  A waiter looks for the event once more after a successful try_wait. The ringer makes the
///      event visible, executes a seq_cst fence, and then rings. Either the waiter sees the event,
///      or the ringer sees the waiter.
///  B2  ring returns a waiter once. A waiter that leaves may already have been returned: a spurious
///      wake-up must be harmless, then and later.
template <class Waiter>
class bell {
public:
    /// False if there is another waiter.
    bool try_wait(Waiter& waiter) noexcept {
        Waiter* nobody = nullptr;
        if (!waiter_.compare_exchange_strong(nobody, &waiter, sync::relaxed, sync::relaxed)) {
            return false;
        }
        // B1, pairs with sleep_control::notify(), which the ringer calls first [BELL-1]
        sync::fence(sync::seq_cst);
        return true;
    }
    void leave(Waiter& waiter) noexcept {
        Waiter* expected = &waiter;
        waiter_.compare_exchange_strong(expected, nullptr, sync::relaxed, sync::relaxed);
    }

    /// An estimate; after a seq_cst fence as good as `ring`.
    [[nodiscard]] bool has_waiter() const noexcept {
        return waiter_.load(sync::relaxed) != nullptr;
    }
    /// Returns the waiter, which the caller must wake, or null. Must follow a seq_cst fence.
    Waiter* ring() noexcept {
        if (!has_waiter()) return nullptr;
        return waiter_.exchange(nullptr, sync::relaxed);
    }

private:
    sync::atomic<Waiter*> waiter_{nullptr};
};

} // namespace weft::inline v0::detail
