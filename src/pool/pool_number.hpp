// How a late question finds out that a pool is gone.
#pragma once

#include <cstdint>

namespace weft::detail {

/// A number that no other pool of this process ever has. It is known as long as the pool is there.
class pool_number {
public:
    pool_number() noexcept;
    ~pool_number();
    pool_number(const pool_number&) = delete;
    pool_number& operator=(const pool_number&) = delete;

    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
    /// Whether the pool with this number is still there. Takes a lock.
    [[nodiscard]] static bool is_known(std::uint64_t value) noexcept;

private:
    std::uint64_t value_;
    pool_number* next_;
};

} // namespace weft::detail
