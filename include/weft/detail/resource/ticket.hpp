// A task's way through the queues of its resources.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::inline v0::detail {

class lane;
class live_view;

/// What a task needs of one resource: its word and, if that is a limit, a number of credits.
struct claim {
    resource_word* word;
    std::uint32_t weight;
};
/// Sorts claims into the order in which queues are entered, and keeps one for each resource, the
/// strongest; returns their number.
[[nodiscard]] WEFT_API std::size_t arrange(std::span<claim> claims) noexcept;

/// The place of a task in the queues of all its resources: enters them, reports when all have
/// admitted the task, and leaves them. This is two-phase locking whose whole growing phase happens
/// at submission, as in behaviour-oriented concurrency (Cheeseman et al., Verona).
///
/// | operation    | caller                                 | progress                                        |
/// |--------------|----------------------------------------|-------------------------------------------------|
/// | make_entries | its maker, once                        | wait-free                                       |
/// | submit       | a thread, with its own lane            | lock-free, never waits for another thread       |
/// | release      | the thread that ends its task, once    | wait-free apart from the tickets that it grants |
/// | forget       | the last holder of its task, once      | wait-free                                       |
///
/// A ticket *grows*: it enters the queues of its resources one after the other, in the order of
/// their addresses. If the entry before it in a queue belongs to a ticket that still grows, it is
/// *suspended*: its submission returns, and the thread that settles the other ticket grows this one
/// further. When it has entered all queues it *settles*, entry by entry. An entry has the *turn*
/// when all before it in the queue have passed theirs on. An exclusive entry passes its turn on
/// when its task has ended, one that takes credits as soon as it has them. When all entries are
/// *granted*, the ticket is *ready*.
///
/// Invariants
///  S1  If a ticket is before another in one queue, it is before it in all queues that both are in.
///      Suppose T is before U in a queue. U entered it later, and does not enter its next queue
///      before T's entry there has settled, when T has entered all its queues. So U enters after T
///      wherever T is, except in queues that U had entered before that one; there T, arriving
///      later, would have found U growing, and would not have entered the first queue before U had.
///  S2  Growing ends. A suspended ticket waits for one that is in the same queue and still has to
///      enter queues at higher addresses. Along these waits addresses increase, so there is no
///      cycle, and at the end there is a ticket that some thread grows.
///  S3  Every ticket becomes ready. Of the tickets that have not ended, the first in the order of
///      S1 has none before it. Turns are passed on in the order of the queue, so it has all its
///      turns; its credits come back, since it weighs no more than the capacity. The premise is
///      that its task is run and ends; then the next ticket is the first.
///  S4  `pending_` counts the entries that were not granted, and one more until the ticket has
///      settled. A thread that grants an entry passes its turn on first, if that is to be done, and
///      counts down last: then the ticket may be ready, ended and freed.
///  S5  The memory of a ticket is used by the holders of its task, and by the follower of each
///      entry that was passed before it was followed. `holds_` counts both; the last of them frees
///      it.
///  S6  After `release` no thread uses a resource's words on behalf of this ticket.
///  S7  A thread that is preempted in here delays only tickets behind the one that it grows or
///      grants, and those behind such a ticket in their lane.
class ticket {
public:
    /// The callbacks to its owner.
    struct kind {
        /// All resources have admitted it. `submitting`: called by the submitting thread, inside
        /// `submit`.
        void (*ready)(ticket& self, bool submitting) noexcept;
        /// Whether the task was cancelled. Once true, it stays true.
        bool (*cancelled)(const ticket& self) noexcept;
        /// Its memory is no longer used.
        void (*free)(ticket& self) noexcept;
    };

    /// The entries are behind it in memory.
    ticket(const kind& calls, std::size_t entries) noexcept
        : kind_{&calls}, count_{static_cast<std::uint32_t>(entries)},
          pending_{static_cast<std::uint32_t>(entries) + 1},
          holds_{static_cast<std::uint32_t>(entries) + 1} {}
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;

    [[nodiscard]] std::span<queue_entry> entries() noexcept {
        return {reinterpret_cast<queue_entry*>(this + 1), count_};
    }
    /// The claims are arranged, one for each entry.
    WEFT_API void make_entries(std::span<const claim> claims) noexcept;
    WEFT_API void submit(lane& own) noexcept;
    WEFT_API void release() noexcept;
    WEFT_API void forget() noexcept;

    /// The object that it is part of.
    void* subject = nullptr;
    /// For reports: a literal or null, and its cell in the registry.
    const char* name = nullptr;
    void* registration = nullptr;

    /// The next one in a lane, or in the list of the thread that grows it.
    sync::plain<ticket*> next{nullptr};

private:
    friend struct growth;
    friend class live_view; // which reads copies

    void grow(struct growth& later, lane* own) noexcept;
    void settle(struct growth& later) noexcept;
    [[nodiscard]] bool grant_own(queue_entry& entry) noexcept;
    void count_down(std::uint32_t granted, bool submitting) noexcept;
    void drop() noexcept;
    static queue_entry* pass_one(queue_entry& entry) noexcept;
    static void pass(queue_entry& entry) noexcept;

    const kind* const kind_;
    std::uint32_t count_;
    sync::plain<std::uint32_t> grown_{0}; // entries that have entered their queues
    sync::plain<std::uint32_t> left_{0};  // entries that no other thread will use, after release
    sync::plain<lane*> lane_{
        nullptr}; // of the submitting thread, if further tickets wait there for this one
    sync::atomic<std::uint32_t> pending_; // S4
    sync::atomic<std::uint32_t> holds_;   // S5
};
static_assert(alignof(ticket) >= alignof(queue_entry) &&
              sizeof(ticket) % alignof(queue_entry) == 0);

/// Returns when everything that the thread of this lane has submitted has entered its queues. It
/// may wait for threads inside `submit`, never for a task.
void wait_for_enqueued(lane& own) noexcept;

/// Tickets linked by `next`, last in, first out. Used by one thread at a time.
class ticket_list {
public:
    [[nodiscard]] bool empty() const noexcept { return first_.read() == nullptr; }
    void push(ticket& added) noexcept {
        added.next.write(first_.read());
        first_.write(&added);
    }
    ticket* pop() noexcept {
        ticket* taken = first_.read();
        if (taken != nullptr) first_.write(taken->next.read());
        return taken;
    }

private:
    sync::plain<ticket*> first_{nullptr};
};

} // namespace weft::inline v0::detail
