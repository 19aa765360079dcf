// A timer, as the wheels hold it.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

class timer_queue;
struct timer_node;

/// Why a timer is over.
enum class timer_end : std::uint8_t {
    due,       ///< its time has come
    cancelled, ///< a call of `cancel` came first
    stopped,   ///< its pool was stopped
};

/// What a timer is doing. `timer_queue` has the transitions, and which thread makes them.
// NOLINTNEXTLINE(performance-enum-size): atomics of a word are the cheapest
enum class timer_state : std::uint32_t {
    idle,       ///< not started
    arming,     ///< started, or moved; the queue has a request to link it, or is about to get one
    armed,      ///< linked
    cancelling, ///< as arming, to unlink it
    over,       ///< `ended` was called, or is about to be
};

/// Part of the object that waits, which is kept at its address until `ended` is called. That call
/// comes once for each start, from any thread; it runs no user code, and the node may be gone when
/// it returns.
struct timer_node {
    using ended_call = void (*)(timer_node& self, timer_end reason) noexcept;

    explicit timer_node(ended_call call) noexcept : ended{call} {}
    timer_node(const timer_node&) = delete;
    timer_node& operator=(const timer_node&) = delete;

    // The thread that holds the queue uses these.
    timer_node* next = nullptr;  // in a slot of the wheel, or among those that are over
    timer_node** link = nullptr; // what points at this in a slot; null: in none
    // The request belongs to the queue's list of requests.
    sync::plain<timer_node*> next_request{nullptr};
    // Written by the thread that starts or moves it.
    sync::atomic<alarm_time> deadline{no_alarm};
    sync::plain<timer_queue*> queue{nullptr};

    const ended_call ended;
    sync::atomic<timer_state> state{timer_state::idle};
    std::uint16_t slot = 0;
    timer_end reason = timer_end::due; // once it is over
};

#ifndef WEFT_MODEL
static_assert(sizeof(timer_node) <= 56);
#endif

} // namespace weft::inline v0::detail
