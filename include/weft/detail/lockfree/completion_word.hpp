// The state of a task that any thread may join: whether it is claimed or done, which nodes to call
// when it is done, and which thread frees it.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// A call to be made when a task is done. Its owner keeps it alive until the call.
struct alignas(64) completion_node {
    void (*notify)(completion_node& self) noexcept = nullptr;
    completion_node* next = nullptr; // the word's, while it is in its list
};

/// One word for the whole life of a task.
///
/// | operation                    | caller                                      | progress  |
/// |------------------------------|---------------------------------------------|-----------|
/// | ready, claimable, is_claimed, has_handle | any with a reference            | wait-free |
/// | try_claim                    | any with a reference                        | wait-free |
/// | claim_from_queue             | the thread that took it from its queue      | wait-free |
/// | complete                     | the thread that has claimed it              | wait-free |
/// | complete_unclaimed           | a lone worker that took it from its queue   | wait-free |
/// | try_add                      | any with a reference                        | lock-free |
/// | help                         | any with a reference                        | wait-free |
/// | drop_handle                  | the owner of the handle                     | wait-free |
/// | awaken                       | the thread that completed its last predecessor | wait-free |
///
/// Invariants
///  C1  It is claimed once, and completed once, by the thread that has claimed it.
///  C2  There are three reasons to keep the task: it is not done, a queue holds it, a handle holds
///      it. Each ends once; the thread that ends the last of them frees the task, and no thread
///      touches it after ending its own.
///  C3  A node is called once if it was added, and never if it was not.
///  C4  What came before complete happens before ready is seen, before a node is called, and before
///      the task is freed.
///  C5  `complete` returns whether a call of `help` succeeded before.
///  C6  A dormant task waits for others to complete; it is in no queue and cannot be claimed.
class completion_word {
public:
    struct made_for_queue {};
    struct made_dormant {};
    explicit completion_word(made_for_queue /*tag*/) noexcept : word_{0} {}
    explicit completion_word(made_dormant /*tag*/) noexcept : word_{dormant} {}

    [[nodiscard]] bool ready() const noexcept {
        return (word_.load(sync::acquire) & done) != 0; // pairs with complete_with() [DONE-1]
    }
    [[nodiscard]] bool is_dormant() const noexcept {
        return (word_.load(sync::relaxed) & dormant) != 0;
    }

    /// Whether it can be claimed; an estimate, since another thread may be claiming it.
    [[nodiscard]] bool claimable() const noexcept {
        return (word_.load(sync::relaxed) & (claimed | queue_gone | dormant)) == 0;
    }

    /// Whether a thread has claimed it that did not take it from the queue. Once true, it stays
    /// true.
    [[nodiscard]] bool is_claimed() const noexcept {
        return (word_.load(sync::relaxed) & claimed) != 0;
    }

    /// Whether a future refers to it; once false, it stays false.
    [[nodiscard]] bool has_handle() const noexcept {
        return (word_.load(sync::relaxed) & handle_gone) == 0;
    }

    /// True if the caller must run the task. The content of the task was published with the
    /// reference.
    [[nodiscard]] bool try_claim() noexcept {
        if (!claimable()) return false;
        return (word_.fetch_or(claimed, sync::relaxed) & (claimed | queue_gone)) == 0;
    }

    enum class from_queue : std::uint8_t { run, drop, free };
    /// Ends the queue's hold. `run`: the caller must run it; `free`: it was the last hold, and the
    /// caller must free it.
    [[nodiscard]] from_queue claim_from_queue() noexcept {
        // An addition, since the bit is not set: one instruction, whereas setting a bit and
        // returning the others is a loop. acquire, in case the task is freed: pairs with the ends
        // of the other holds, complete_with() and drop_handle() [DONE-2]
        const std::uintptr_t before = word_.fetch_add(queue_gone, sync::acq_rel);
        if ((before & claimed) == 0) return from_queue::run;
        return is_free(before | queue_gone) ? from_queue::free : from_queue::drop;
    }

    struct completed {
        completion_node* nodes; ///< to be called
        bool free;              ///< it was the last hold
        bool helped;            ///< a helper may be about to take a child of this task
    };
    [[nodiscard]] completed complete() noexcept { return complete_with(done); }
    /// The same for a worker without siblings, which took the task from the queue and need not
    /// claim it, since no other thread could: the queue's hold ends too.
    [[nodiscard]] completed complete_unclaimed() noexcept {
        return complete_with(done | queue_gone);
    }

    /// False if the task is done.
    [[nodiscard]] bool try_add(completion_node& node) noexcept {
        std::uintptr_t now = word_.load(sync::relaxed);
        for (;;) {
            if ((now & done) != 0) return !ready();
            node.next = to_node(now);
            const auto next = reinterpret_cast<std::uintptr_t>(&node) | (now & flags);
            // release, pairs with complete_with(): the node's content [DONE-4]
            if (word_.compare_exchange_weak(now, next, sync::release, sync::relaxed)) return true;
        }
    }

    /// Called before a child of the task is taken from the worker that runs it; returns false if
    /// the task is done.
    [[nodiscard]] bool help() noexcept {
        return (word_.fetch_or(helping, sync::relaxed) & done) == 0;
    }

    /// True if the caller must free the task.
    [[nodiscard]] bool drop_handle() noexcept {
        // Often the other holds have ended, and an ended hold does not return: then no update is
        // needed. acquire, pairs with their ends in claim_from_queue() and complete_with() [DONE-5]
        if (is_free(word_.load(sync::acquire) | handle_gone)) return true;
        // acquire and release, pairs with claim_from_queue() and complete_with(): what each did
        // with the task comes before its freeing [DONE-6]
        return is_free(word_.fetch_or(handle_gone, sync::acq_rel) | handle_gone);
    }

    /// Called before the task is put into a queue.
    void awaken() noexcept { word_.fetch_and(~dormant, sync::relaxed); }

private:
    static constexpr std::uintptr_t claimed = 1; // by a thread that did not take it from the queue
    static constexpr std::uintptr_t done = 2;
    static constexpr std::uintptr_t queue_gone = 4; // and claimed thereby, if it was not
    static constexpr std::uintptr_t handle_gone = 8;
    static constexpr std::uintptr_t dormant = 16;
    static constexpr std::uintptr_t helping = 32;
    static constexpr std::uintptr_t flags = alignof(completion_node) - 1;

    completed complete_with(std::uintptr_t ended) noexcept {
        // release for waiters, acquire for their nodes and for the freeing; an addition as above
        // [DONE-3]
        const std::uintptr_t before = word_.fetch_add(ended, sync::acq_rel);
        return {to_node(before), is_free(before | ended), (before & helping) != 0};
    }

    static bool is_free(std::uintptr_t word) noexcept {
        constexpr std::uintptr_t all = done | queue_gone | handle_gone;
        return (word & all) == all;
    }
    static completion_node* to_node(std::uintptr_t word) noexcept {
        return reinterpret_cast<completion_node*>(word & ~flags);
    }

    sync::atomic<std::uintptr_t> word_;
};

} // namespace weft::inline v0::detail
