// Memory orders as types, so that an order that makes no sense does not compile.
#pragma once

#include <atomic>
#include <concepts>

namespace weft::inline v0::sync {

template <std::memory_order Order>
struct order_tag {
    static constexpr std::memory_order value = Order;
};

inline constexpr order_tag<std::memory_order_relaxed> relaxed{};
inline constexpr order_tag<std::memory_order_acquire> acquire{};
inline constexpr order_tag<std::memory_order_release> release{};
inline constexpr order_tag<std::memory_order_acq_rel> acq_rel{};
/// For fences only: an access has no such order.
inline constexpr order_tag<std::memory_order_seq_cst> seq_cst{};

template <class Order, auto... Allowed>
concept one_of = (std::same_as<Order, std::remove_const_t<decltype(Allowed)>> || ...);

template <class Order>
concept load_order = one_of<Order, relaxed, acquire>;
template <class Order>
concept store_order = one_of<Order, relaxed, release>;
template <class Order>
concept update_order = one_of<Order, relaxed, acquire, release, acq_rel>;
template <class Order>
concept fence_order = one_of<Order, acquire, release, acq_rel, seq_cst>;

/// The order of a compare-and-exchange that succeeds, given that of one that fails. Where it does
/// not inline, g++ 12 warns of one that fails with acquire and succeeds relaxed; so that acquires
/// too, except in the explorer, which takes both as they are.
template <class Success, class Failure>
constexpr auto success_order(Success success, [[maybe_unused]] Failure failure) noexcept {
#ifndef WEFT_MODEL
    if constexpr (one_of<Success, relaxed> && one_of<Failure, acquire>) return acquire;
    else
#endif
        return success;
}

} // namespace weft::inline v0::sync
