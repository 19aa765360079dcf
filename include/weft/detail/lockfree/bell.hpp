// One who wants to know when something happens.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>

namespace weft::inline v0::detail {

/// A place where at most one may wait for another to ring.
///
/// | operation       | who               | progress                                |
/// |-----------------|-------------------|-----------------------------------------|
/// | try_wait, leave | any               | wait-free                               |
/// | ring            | who makes it happen | wait-free; a load if nobody waits     |
///
/// Invariants
///  B1  Who has succeeded in try_wait looks once more afterwards. Who makes it happen rings
///      afterwards, with a seq_cst fence between, which the caller provides. Either the one sees what
///      has happened, or the other sees who waits.
///  B2  ring tells of a waiter once. Who leaves may still have been told of: being called in vain must
///      be harmless, then and later.
template <class Waiter>
class bell {
public:
    /// False if another waits already.
    bool try_wait(Waiter& who) noexcept {
        Waiter* nobody = nullptr;
        if (!waiter_.compare_exchange_strong(nobody, &who, sync::relaxed, sync::relaxed)) {
            return false;
        }
        // B1, pairs with the ringer's fence [BELL-1]
        sync::fence(sync::seq_cst);
        return true;
    }
    void leave(Waiter& who) noexcept {
        Waiter* me = &who;
        waiter_.compare_exchange_strong(me, nullptr, sync::relaxed, sync::relaxed);
    }

    /// Who waits, or null. After a seq_cst fence.
    Waiter* ring() noexcept {
        if (waiter_.load(sync::relaxed) == nullptr) return nullptr;
        return waiter_.exchange(nullptr, sync::relaxed);
    }

private:
    sync::atomic<Waiter*> waiter_{nullptr};
};

} // namespace weft::inline v0::detail
