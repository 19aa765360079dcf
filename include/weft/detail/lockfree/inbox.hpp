// Items that any thread pushes one by one and any thread takes all at once.
#pragma once

#include <weft/detail/sync/atomic.hpp>

namespace weft::inline v0::detail {

/// A stack of linked items that any thread may push to, and any thread may empty as a whole. `T`
/// has a member `T* next`, which belongs to the inbox while the item is in it.
///
/// | operation | caller | progress  |
/// |-----------|--------|-----------|
/// | push      | any    | lock-free |
/// | take_all  | any    | wait-free |
/// | empty     | any    | wait-free |
///
/// Invariants
///  I1  No thread follows the link of an item that is in the inbox, so an item may be freed or
///      pushed again as soon as it was taken.
///  I2  What came before a push happens before the return of the take_all that takes the item.
///  I3  What came before a take_all happens before another thread sees the inbox empty because of
///      it.
template <class T>
class inbox {
public:
    /// True if the inbox was empty before.
    bool push(T* item) noexcept {
        T* head = head_.load(sync::relaxed);
        for (;;) {
            item->next = head;
            // release, pairs with take_all() [INBOX-1]
            if (head_.compare_exchange_weak(head, item, sync::release, sync::relaxed)) {
                return head == nullptr;
            }
        }
    }

    /// All items, the oldest first, linked by `next`; null if there are none.
    T* take_all() noexcept {
        if (empty()) return nullptr;
        // acquire, pairs with push(); the pushes before are in the release sequence. release, pairs
        // with empty() [INBOX-2]
        T* newest = head_.exchange(nullptr, sync::acq_rel);
        T* oldest = nullptr;
        while (newest != nullptr) {
            T* below = newest->next;
            newest->next = oldest;
            oldest = newest;
            newest = below;
        }
        return oldest;
    }

    [[nodiscard]] bool empty() const noexcept {
        return head_.load(sync::acquire) == nullptr; // pairs with take_all() [INBOX-3]
    }

private:
    sync::atomic<T*> head_{nullptr};
};

} // namespace weft::inline v0::detail
