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

/// What a task wants of one resource: its word and, if that is a limit, so many credits.
struct claim {
    resource_word* word;
    std::uint32_t weight;
};
/// Brings claims into the order in which queues are entered, each resource once with the most that is
/// wanted of it; returns how many are left.
[[nodiscard]] WEFT_API std::size_t arrange(std::span<claim> claims) noexcept;

/// What enters the queues of all resources of a task, tells when all have admitted it, and leaves them.
///
/// | operation | who                                  | progress                                |
/// |-----------|--------------------------------------|-----------------------------------------|
/// | submit    | a thread, with its own lane          | lock-free, and never waits for another  |
/// | release   | who has what was admitted, once      | wait-free but for others that it admits |
/// | forget    | who has released it, once            | wait-free                               |
///
/// A ticket *grows*: it enters the queues of its resources one after the other, in the order of their
/// addresses. If the entry before it in a queue belongs to a ticket that still grows, it is *suspended*: its
/// submission returns, and who brings the other to its end lets this one grow on. When it has
/// entered all queues, it *settles*: its entries say so one by one. An entry has the *turn* when all before
/// it in the queue have given theirs on. An exclusive one gives it on when its task has ended, one that
/// takes credits as soon as it has them. When all entries were *granted*, the ticket is *ready*.
///
/// Invariants
///  S1  If a ticket is before another in one queue, it is before it in all that both are in. Suppose T is
///      before U in a queue. Then U entered it later, and does not enter its next queue before T has
///      settled there, when T has entered all its queues: so U enters after T wherever T is, but for
///      queues that U had entered before; there T, which comes later, would have found U growing, and
///      would not have come to the first queue until U had entered it.
///  S2  Growing ends. A ticket that is suspended waits for one that is in the queue where it waits and
///      grows on beyond it: along these waits addresses increase, so there is no circle, and at the end
///      there is one that some thread lets grow.
///  S3  Whoever is ready in the end was nobody's victim: of the tickets that have not ended, the first in
///      the order of S1 has nobody before it. Turns are given on in the order of the queue, so it has
///      all of them; its credits come back, since it weighs no more than the capacity. It is ready.
///      That its task is run and ends is the premise, and then the next is the first.
///  S4  `pending` counts the entries that were not granted, and one more until the ticket has settled. Who
///      grants an entry gives its turn on first if that is to be done, and counts down last: then the
///      ticket may be ready, have ended and be gone.
///  S5  The memory of a ticket is used by who has its task, and by the follower of each entry that was
///      passed before it was followed. `holds` counts both; who ends the last frees it.
///  S6  After `release` nobody uses a resource's words on behalf of this ticket.
///  S7  Nobody waits for a thread that stands still in here, but those behind it: whose tickets are behind
///      the one it lets grow or grants, or behind such a one in their lane.
class ticket {
public:
    /// What its owner wants to be told.
    struct kind {
        /// All resources have admitted it. `submitting`: by the very thread that submits it, inside
        /// `submit`.
        void (*ready)(ticket& self, bool submitting) noexcept;
        /// It is not wanted any more. Once true it stays so.
        bool (*cancelled)(const ticket& self) noexcept;
        /// Its memory ends.
        void (*free)(ticket& self) noexcept;
    };

    /// The entries are behind it in memory.
    ticket(const kind& what, std::size_t entries) noexcept
        : kind_{&what}, count_{static_cast<std::uint32_t>(entries)},
          pending_{static_cast<std::uint32_t>(entries) + 1},
          holds_{static_cast<std::uint32_t>(entries) + 1} {}
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;

    [[nodiscard]] std::span<queue_entry> entries() noexcept {
        return {reinterpret_cast<queue_entry*>(this + 1), count_};
    }
    /// Makes the entries. The claims are arranged, one for each entry.
    WEFT_API void make_entries(std::span<const claim> claims) noexcept;
    WEFT_API void submit(lane& own) noexcept;
    WEFT_API void release() noexcept;
    WEFT_API void forget() noexcept;

    /// The object that it is part of.
    void* subject = nullptr;
    /// For introspection: a literal or null, and where it is registered.
    const char* name = nullptr;
    void* registration = nullptr;

    /// In the list of a lane, or of who lets it grow.
    sync::plain<ticket*> next{nullptr};

private:
    friend struct growth;
    friend class live_view; // which looks at copies

    void grow(struct growth& later, lane* own) noexcept;
    void settle(struct growth& later) noexcept;
    [[nodiscard]] bool grant_own(queue_entry& mine) noexcept;
    void count_down(std::uint32_t granted, bool submitting) noexcept;
    void drop() noexcept;
    static queue_entry* give_on(queue_entry& from) noexcept;
    static void pass(queue_entry& from) noexcept;

    const kind* const kind_;
    std::uint32_t count_;
    sync::plain<std::uint32_t> grown_{0}; // entries that have entered their queues
    sync::plain<std::uint32_t> left_{0};  // entries that nobody else will use, after release
    sync::plain<lane*> lane_{nullptr};    // whose other tickets wait for this one to settle
    sync::atomic<std::uint32_t> pending_; // S4
    sync::atomic<std::uint32_t> holds_;   // S5
};
static_assert(alignof(ticket) >= alignof(queue_entry) &&
              sizeof(ticket) % alignof(queue_entry) == 0);

/// Returns when all that the thread of this lane has submitted has entered its queues. This waits for
/// threads inside `submit`, never for a task.
void wait_for_enqueued(lane& own) noexcept;

/// Tickets linked by `next`, the last pushed first. Of one thread at a time.
class ticket_list {
public:
    [[nodiscard]] bool empty() const noexcept { return first_.read() == nullptr; }
    void push(ticket& one) noexcept {
        one.next.write(first_.read());
        first_.write(&one);
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
