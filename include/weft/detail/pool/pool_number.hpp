// The identity of a pool, and whether the pool still exists.
#pragma once

#include <weft/detail/lockfree/presence.hpp>

namespace weft::inline v0::detail {

/// Identifies one pool of this process, and tells whether it still exists.
struct pool_identity {
    presence* state;
    presence::number number;

    /// True if the pool exists and `use()` returns true. The pool is not destroyed while that runs.
    /// This object may be destroyed by it, as part of a task that is queued there.
    template <class Use>
    bool use_if_alive(Use use) const noexcept {
        presence& entered = *state; // this may be destroyed by the use
        if (!entered.try_enter(number)) return false;
        const bool used = use();
        entered.leave();
        return used;
    }
    friend bool operator==(const pool_identity&, const pool_identity&) = default;
};

/// The identity of a pool, owned by the pool. The record that tells whether the pool exists is
/// never freed, but reused for other pools: there are as many records as there have been pools at
/// one time. Construction and `forget` take a lock; `use_if_alive` takes none.
class pool_number {
public:
    /// Throws std::bad_alloc.
    pool_number();
    ~pool_number();
    pool_number(const pool_number&) = delete;
    pool_number& operator=(const pool_number&) = delete;

    [[nodiscard]] const pool_identity& value() const noexcept { return value_; }
    /// Called when the pool ends. Returns when no thread is inside `use_if_alive`. A second call
    /// does nothing.
    void forget() noexcept;

private:
    struct record;
    struct records;
    static records& all() noexcept;
    explicit pool_number(record& taken) noexcept;

    record* record_;
    pool_identity value_;
};

} // namespace weft::inline v0::detail
