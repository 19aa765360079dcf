// How a late question finds out that a pool is gone.
#pragma once

#include <weft/detail/lockfree/presence.hpp>

namespace weft::inline v0::detail {

/// What tells one pool from all others of this process, and whether it is still there.
struct pool_identity {
    presence* place;
    presence::number number;

    /// True if the pool is there and `use()` is true. The pool stays while that runs; this may end
    /// in it, as part of a task that is queued there.
    template <class Use>
    bool use_if_there(Use use) const noexcept {
        presence& entered = *place; // this may be gone after the use
        if (!entered.try_enter(number)) return false;
        const bool used = use();
        entered.leave();
        return used;
    }
    friend bool operator==(const pool_identity&, const pool_identity&) = default;
};

/// The identity of a pool, until it ends. What tells that it is gone is never freed, but used for
/// other pools: there are as many as there were pools at one time. Making and ending take a lock,
/// asking takes none.
class pool_number {
public:
    /// Throws std::bad_alloc.
    pool_number();
    ~pool_number();
    pool_number(const pool_number&) = delete;
    pool_number& operator=(const pool_number&) = delete;

    [[nodiscard]] const pool_identity& value() const noexcept { return value_; }
    /// The pool is not there any more. Returns when nobody is inside `use_if_there`. Again it does
    /// nothing.
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
