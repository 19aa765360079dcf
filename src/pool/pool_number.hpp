// How a late question finds out that a pool is gone.
#pragma once

#include "sync/mutex.hpp"

#include <cstdint>

namespace weft::detail {

/// A number that no other pool of this process ever has. It is known until the pool ends.
class pool_number {
public:
    pool_number() noexcept;
    ~pool_number();
    pool_number(const pool_number&) = delete;
    pool_number& operator=(const pool_number&) = delete;

    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
    /// From now on it is not known. Returns when nobody is inside `use_if_known` for it.
    void forget() noexcept;

    /// True if the number is known and `use()` is true. The pool stays while that runs, under a lock.
    template <class Use>
    static bool use_if_known(std::uint64_t value, Use use) noexcept {
        const sync::lock_guard one_at_a_time{known_mutex()};
        return is_known(value) && use();
    }

private:
    static sync::mutex& known_mutex() noexcept;
    static bool is_known(std::uint64_t value) noexcept;

    std::uint64_t value_;
    pool_number* next_;
};

} // namespace weft::detail
