// Atomic objects whose every operation names its order.
#pragma once

#include <weft/detail/sync/backend.hpp>
#include <weft/detail/sync/order.hpp>
#include <weft/detail/sync/tsan.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace weft::inline v0::sync {

/// `std::atomic` without default orders and without seq_cst: where a total order is needed, a fence
/// with a named partner says so. Costs nothing over `std::atomic` (test/codegen).
template <class T>
class atomic {
public:
    using value_type = T;
    using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

    constexpr atomic() noexcept : atomic(T{}) {}
    constexpr explicit(false) atomic(T value) noexcept : value_{value} {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(load_order auto order WEFT_SYNC_HERE) const noexcept {
        return value_.load(order.value WEFT_SYNC_AT);
    }
    void store(T value, store_order auto order WEFT_SYNC_HERE) noexcept {
        value_.store(value, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    T exchange(T value, update_order auto order WEFT_SYNC_HERE) noexcept {
        return value_.exchange(value, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    bool compare_exchange_strong(T& expected, T desired, update_order auto success,
                                 load_order auto failure WEFT_SYNC_HERE) noexcept {
        return value_.compare_exchange_strong(expected, desired,
                                              WEFT_SYNC_WRITES(success_order(success, failure)),
                                              failure.value WEFT_SYNC_AT);
    }
    bool compare_exchange_weak(T& expected, T desired, update_order auto success,
                               load_order auto failure WEFT_SYNC_HERE) noexcept {
        return value_.compare_exchange_weak(expected, desired,
                                            WEFT_SYNC_WRITES(success_order(success, failure)),
                                            failure.value WEFT_SYNC_AT);
    }
    T fetch_add(difference_type delta, update_order auto order WEFT_SYNC_HERE) noexcept {
        return value_.fetch_add(delta, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    T fetch_sub(difference_type delta, update_order auto order WEFT_SYNC_HERE) noexcept {
        return value_.fetch_sub(delta, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    T fetch_and(T mask, update_order auto order WEFT_SYNC_HERE) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return value_.fetch_and(mask, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    T fetch_or(T mask, update_order auto order WEFT_SYNC_HERE) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return value_.fetch_or(mask, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }
    T fetch_xor(T mask, update_order auto order WEFT_SYNC_HERE) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return value_.fetch_xor(mask, WEFT_SYNC_WRITES(order) WEFT_SYNC_AT);
    }

    /// The name that the explorer's traces give to this object.
    void label([[maybe_unused]] const char* name) noexcept {
#ifdef WEFT_MODEL
        value_.label(name);
#endif
    }

    /// The underlying object, for src/sync itself.
    backend::atomic<T>& native() noexcept { return value_; }

private:
    backend::atomic<T> value_;
};

} // namespace weft::inline v0::sync
