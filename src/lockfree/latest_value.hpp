// A value that any thread replaces and one thread reads.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>

#include <utility>

namespace weft::inline v0::detail {

/// The latest value that was given to one thread, its owner. Neither side waits for the other: a
/// new value is left at the door, and the owner takes it in when it looks.
///
/// | operation | caller     | progress             |
/// |-----------|------------|----------------------|
/// | give      | any thread | wait-free, allocates |
/// | owner_get | the owner  | wait-free            |
///
///   nothing at the door --give-------> a value     which belongs to nobody
///   a value             --give-------> another     the giver destroys the one before
///   a value             --owner_get--> nothing     the owner destroys the one that it had
///
/// Invariant L1: each exchange of the door hands over what was there to exactly one thread, which
/// sees its construction.
template <class T>
class latest_value {
public:
    /// `first` is the value until another is given.
    explicit latest_value(T first = {}) : own_{std::move(first)} {}
    /// No other thread may be inside.
    ~latest_value() { sync::destroy(door_.load(sync::relaxed)); }
    latest_value(const latest_value&) = delete;
    latest_value& operator=(const latest_value&) = delete;

    /// Throws std::bad_alloc, and what moving the value throws; nothing has changed then.
    void give(T value) {
        T* made = sync::make<T>(std::move(value));
        // L1; release, pairs with take_in() and give(); acquire, pairs with give() [LATEST-1]
        sync::destroy(door_.exchange(made, sync::acq_rel));
    }
    /// The latest value that was given before this call, or one that is given meanwhile. It stays
    /// until the owner calls this again.
    [[nodiscard]] const T& owner_get() noexcept {
        if (door_.load(sync::relaxed) != nullptr) [[unlikely]]
            take_in();
        return own_;
    }

private:
    void take_in() noexcept {
        // L1; acquire, pairs with give() [LATEST-2]
        T* taken = door_.exchange(nullptr, sync::acquire);
        own_ = std::move(*taken); // only the owner empties the door
        sync::destroy(taken);
    }

    sync::atomic<T*> door_{nullptr};
    T own_;
};

} // namespace weft::inline v0::detail
