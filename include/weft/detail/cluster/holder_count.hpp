// How many places of a rank have tasks.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Counts the holders of a rank: seats and blocks that have tasks, or run one. A rank without
/// holders is passive.
///
/// | operation | caller                                                        | progress  |
/// |-----------|---------------------------------------------------------------|-----------|
/// | add       | a holder, for a block that it makes; the exchange, for a rank | wait-free |
/// | drop      | a holder, once for each add                                   | wait-free |
/// | none      | any thread                                                    | wait-free |
///
/// Invariants
///  H1  A task on the rank belongs to a holder while it is queued and while it runs, and a holder
///  is
///      counted before it gets its first task. Only a holder or the exchange adds; so none stays
///      true until the exchange adds.
///  H2  What came before every drop happens before the return of a none that is true.
class holder_count {
public:
    void add() noexcept { count_.fetch_add(1, sync::relaxed); }
    // release, pairs with none(); drops of several threads are one release sequence [HOLDER-1]
    void drop() noexcept { count_.fetch_sub(1, sync::release); }
    [[nodiscard]] bool none() const noexcept {
        return count_.load(sync::acquire) == 0; // pairs with drop() [HOLDER-2]
    }

private:
    sync::atomic<std::int64_t> count_{0};
};

} // namespace weft::inline v0::detail
