// The counts that a run of a graph consists of.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// How many predecessors of a node have not ended. The last one to end begins the node.
///
/// | operation | caller                                                      | progress  |
/// |-----------|-------------------------------------------------------------|-----------|
/// | arm       | the maker; the last to arrive; the thread that enters a part of a graph | wait-free |
/// | arrive    | the thread on which predecessors have ended; each counts once | wait-free |
///
/// Invariants
///  GR1  `arrive` is true for one of the predecessors, the last, and for that one everything that
///       came before the other arrivals has happened.
///  GR2  The count is armed again by the thread that arrived last, before the node begins. The next
///       arrival is that of the next activation, and happens after this one has ended: a run ends
///       after all its nodes, and a part of a graph is entered again only when all of it has ended.
///       So a count is never armed while it counts, and a second run needs no pass over the counts.
///
/// States: n, …, 1 predecessors are missing; 0 for a moment, until it is armed. The last to arrive
/// may leave it as it was, since nobody looks at it before it is armed.
class completion_count {
public:
    explicit completion_count(std::uint32_t missing = 0) noexcept : missing_{missing} {}

    void arm(std::uint32_t missing) noexcept { missing_.store(missing, sync::relaxed); } // GR2

    /// True for the last. `alone`: no other thread arrives in this run, so that nothing need be
    /// atomic. `several`: how many predecessors have ended on the caller's thread.
    [[nodiscard]] bool arrive(bool alone, std::uint32_t several = 1) noexcept {
        if (alone) {
            const std::uint32_t left = missing_.load(sync::relaxed) - several;
            missing_.store(left, sync::relaxed);
            return left == 0;
        }
        // If no others are missing, the caller is the last: no update is needed. acquire, pairs
        // with arrive(), the update of those that came before [COUNT-1]
        if (missing_.load(sync::acquire) == several) return true;
        // release for what the predecessor did, acquire for the last to have it all [COUNT-2]
        return missing_.fetch_sub(several, sync::acq_rel) == several;
    }

private:
    sync::atomic<std::uint32_t> missing_;
};

/// How many threads of control are active in a part of a graph that branches begin and end. The
/// last of them decides what comes next while it is still counted: so the part cannot be entered by
/// another thread meanwhile.
///
/// | operation | caller                                         | progress  |
/// |-----------|------------------------------------------------|-----------|
/// | try_enter | any thread                                     | wait-free |
/// | add       | a thread that is counted                       | wait-free |
/// | is_alone  | a thread that is counted                       | wait-free |
/// | is_last   | a thread that is counted; it is not afterwards, unless it is the last | lock-free |
/// | leave     | the last                                       | wait-free |
///
/// Invariants
///  PT1  A part is entered only while it has no activity, and then has one.
///  PT2  What came before every `is_last` and `leave` happens before the last decides, and before
///       the part is entered again.
class activity_count {
public:
    /// False if the part is active.
    [[nodiscard]] bool try_enter() noexcept {
        std::uint32_t none = 0;
        // acquire, pairs with leave(): the counts in the part are armed [PART-1]
        return active_.compare_exchange_strong(none, 1, sync::acquire, sync::relaxed);
    }
    /// For the first threads of control, before any other thread may know of them.
    void begin(std::uint32_t count) noexcept { active_.store(count, sync::relaxed); }
    void add(std::uint32_t more) noexcept { active_.fetch_add(more, sync::relaxed); }
    /// Whether the caller is the last, which it then stays until it adds another.
    [[nodiscard]] bool is_alone() const noexcept {
        return active_.load(sync::acquire) == 1; // pairs with is_last() [PART-5]
    }
    /// The last stays counted; any other thread does not.
    [[nodiscard]] bool is_last() noexcept {
        // acquire, pairs with is_last(), the update of those that left before [PART-2]
        std::uint32_t now = active_.load(sync::acquire);
        while (now != 1) {
            // release, pairs with is_last() of the last; acquire if another was faster [PART-3]
            if (active_.compare_exchange_weak(now, now - 1, sync::release, sync::acquire)) {
                return false;
            }
        }
        return true;
    }
    /// release, pairs with try_enter() [PART-4]
    void leave() noexcept { active_.store(0, sync::release); }

private:
    sync::atomic<std::uint32_t> active_{0};
};

/// A few objects that were used and may be used again.
///
/// | operation | caller     | progress  |
/// |-----------|------------|-----------|
/// | try_take  | any thread | wait-free |
/// | try_give  | any thread | wait-free |
///
/// Invariant
///  SP1  An object is taken once each time it was given, and what came before it was given happens
///       before it is used again.
template <class T, std::size_t Slots = 4>
class spare_slots {
public:
    /// Null if there is none.
    [[nodiscard]] T* try_take() noexcept {
        for (sync::atomic<T*>& each : slots_) {
            if (each.load(sync::relaxed) == nullptr) continue;
            // acquire, pairs with try_give() [SPARE-1]
            if (T* taken = each.exchange(nullptr, sync::acquire)) return taken;
        }
        return nullptr;
    }
    /// False if all slots are used.
    [[nodiscard]] bool try_give(T& given) noexcept {
        for (sync::atomic<T*>& each : slots_) {
            T* none = nullptr;
            // release, pairs with try_take() [SPARE-2]
            if (each.compare_exchange_strong(none, &given, sync::release, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }

private:
    sync::atomic<T*> slots_[Slots]{};
};

} // namespace weft::inline v0::detail
