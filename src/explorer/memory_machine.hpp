// The memory that explored programs run on. docs/explorer.md describes the model.
#pragma once

#include "explorer/view.hpp"

#include <weft/explorer/detail/machine.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::inline v0::explorer::detail {

using thread_index = std::uint32_t;
using thread_set = std::uint32_t; // a bit for each
constexpr thread_set bit(thread_index thread) noexcept { return thread_set{1} << thread; }

constexpr bool acquires(std::memory_order order) noexcept {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) noexcept {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

/// Why an access is wrong.
enum class access_fault : std::uint8_t { none, race, dead };

struct access_result {
    access_fault fault = access_fault::none;
    thread_index other = 0; ///< for a race: the other thread
};

/// Histories of atomic objects, views of threads, clocks of plain objects.
///
/// Invariants
///  M1  A history is in modification order, which is the order of execution.
///  M2  A thread's current view never falls; a load returns nothing older than the view allows.
///  M3  Clocks travel only through release and acquire (and what is built of them): one thread's
///      clock in another's current view is what happens before. Fences of seq_cst pass on history
///      positions, not clocks.
///      Accesses of seq_cst pass on neither.
///  M4  A thread's clock is advanced after each of its operations, so that what it does next is not
///      covered by what it published before.
///  M5  The single order S of seq_cst operations exists at any time: it agrees with what strongly
///      happens before, and for each object with coherence (a store, its readers, the next store).
///      Seq_cst fences stand in S where they were executed, and divide the accesses. Between two
///      fences only a load that returns an old store can contradict what was executed before it,
///      and it is not offered stores that do.
class memory_machine {
public:
    memory_machine();
    void reset();

    void start_thread(thread_index thread, thread_index parent);
    void advance_clock(thread_index thread);

    std::uint32_t add_atomic(thread_index thread, const void* address, std::size_t size,
                             std::uint64_t bits, value_kind kind);
    std::uint32_t add_plain(thread_index thread, const void* address, std::size_t size);

    // Atomic objects. `check_atomic` comes before each access.
    access_result check_atomic(thread_index thread, std::uint32_t object);
    /// How many stores a load of this thread may return: the newest and those before it.
    unsigned readable(thread_index thread, std::uint32_t object, std::memory_order order);
    std::uint64_t read(thread_index thread, std::uint32_t object, unsigned age,
                       std::memory_order order);
    [[nodiscard]] std::uint64_t newest(std::uint32_t object) const;
    void write(thread_index thread, std::uint32_t object, std::uint64_t bits,
               std::memory_order order);
    /// A write that continues the release sequence of the store before it.
    void update(thread_index thread, std::uint32_t object, std::uint64_t bits,
                std::memory_order order);
    void fence(thread_index thread, std::memory_order order);
    /// This thread has seen every store made so far (which gives it no happens-before).
    void catch_up(thread_index thread);

    // Plain objects.
    access_result read_plain(thread_index thread, std::uint32_t object);
    access_result write_plain(thread_index thread, std::uint32_t object);

    // The end of objects: no thread may access them later, or have accessed them without order.
    access_result end_atomic(thread_index thread, std::uint32_t object);
    access_result end_plain(thread_index thread, std::uint32_t object);
    /// The end of all objects in a piece of memory.
    access_result end_range(thread_index thread, const void* begin, std::size_t size);

    // Batons: the views that mutexes, parkers and joins pass from thread to thread.
    row_index new_baton();
    void release_to(thread_index thread, row_index baton);
    void acquire_from(thread_index thread, row_index baton);
    /// Whether all that was released to the baton happens before.
    access_result check_received(thread_index thread, row_index baton);

    void label_atomic(std::uint32_t object, const char* name) { atomics_[object].label = name; }
    void label_plain(std::uint32_t object, const char* name) { plains_[object].label = name; }
    [[nodiscard]] std::string name_of_atomic(std::uint32_t object) const;
    [[nodiscard]] std::string name_of_plain(std::uint32_t object) const;
    [[nodiscard]] std::string show(std::uint32_t object, std::uint64_t bits) const;

private:
    using clocks = std::array<stamp, max_threads>;

    struct lifetime {
        const char* address;
        std::size_t size;
        const char* label;
        thread_index born_by;
        stamp born_at;
        bool alive;
    };
    struct message {
        std::uint64_t bits;
        row_index view;
    };
    struct atomic_object : lifetime {
        value_kind kind;
        clocks accessed;
        std::vector<message> history;
    };
    struct plain_object : lifetime {
        clocks written;
        clocks read;
    };

    /// An access of order seq_cst, since the last seq_cst fence.
    struct ordered_access {
        thread_index thread;
        stamp time; // of its thread's clock
        std::uint32_t object;
        stamp position; // in the object's history: stored, or read
        bool stored;
        clocks before; // what happened before it, without what it acquired itself

        /// The single order of seq_cst operations has this access before the other (M5).
        [[nodiscard]] bool precedes(const ordered_access& other) const {
            if (happens_before(other.before)) return true;
            if (object != other.object) return false;
            if (position != other.position) return position < other.position;
            return stored && !other.stored; // read what this one stored
        }
        /// Strictly: some operation came after this one in its thread, and was seen.
        [[nodiscard]] bool happens_before(const clocks& later) const {
            return later[thread] > time;
        }
    };

    // Rows of a thread: what it must see; what an acquire fence would add; what its last release
    // fence published; what it has seen by a yield.
    static constexpr row_index current(thread_index thread) { return thread * 4; }
    static constexpr row_index pending(thread_index thread) { return thread * 4 + 1; }
    static constexpr row_index fenced(thread_index thread) { return thread * 4 + 2; }
    static constexpr row_index caught_up(thread_index thread) { return thread * 4 + 3; }
    static constexpr row_index fence_order = max_threads * 4;  // what seq_cst fences pass on
    static constexpr row_index access_order = fence_order + 1; // what seq_cst accesses reached
    static constexpr std::size_t fixed_rows = max_threads * 4 + 2;

    [[nodiscard]] clocks clocks_of(row_index row);
    void note_ordered(thread_index thread, std::uint32_t object, std::size_t position, bool stored);
    [[nodiscard]] stamp oldest_in_order(thread_index thread, std::uint32_t object);
    stamp now(thread_index thread) { return views_.clock(current(thread), thread); }
    lifetime born(thread_index thread, const void* address, std::size_t size);
    access_result unordered(thread_index thread, const clocks& others);
    access_result check_life(thread_index thread, const lifetime& object);
    void append(thread_index thread, std::uint32_t object, std::uint64_t bits,
                std::memory_order order, std::optional<row_index> continued);

    view_table views_{fixed_rows};
    std::vector<atomic_object> atomics_; // the first atomic_count_ are of this execution
    std::size_t atomic_count_ = 0;
    std::vector<plain_object> plains_;
    std::vector<ordered_access> ordered_; // in the order of execution
    std::vector<ordered_access> unvisited_;
    std::vector<ordered_access> visited_;
};

} // namespace weft::inline v0::explorer::detail
