// A tree of signals: set without waiting, found without checking each.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/mark_tree.hpp>
#include <weft/detail/lockfree/nearest_bit.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/selection_bias.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::inline v0 {

/// A thread's position in a `signal_tree`. Each thread that selects has one of its own for each
/// tree; it is not shared.
struct signal_cursor {
    /// Where the next fair selection begins.
    std::size_t next = 0;
    /// Where the next one in a preferred range begins.
    std::size_t next_preferred = 0;
    /// The number of selections so far, those that found nothing included.
    std::uint64_t turn = 0;
};

/// A set of signals, numbered from 0, of any size. Any number of threads set signals and select
/// some that are set, at once. A thread that selects comes to what is set without looking at the
/// rest: in an empty tree of a million signals it looks at one word.
///
/// | call             | progress                                                     |
/// |------------------|--------------------------------------------------------------|
/// | `set`            | wait-free: two updates, or one if other signals near it are set |
/// | `select`, `reset` | lock-free                                                   |
/// | `is_set`, `empty` | wait-free: one load                                         |
///
/// What comes before a `set` that returns true is seen by the thread whose `select` or `reset`
/// takes the signal, and so is what comes before each further `set` until then. A signal that was
/// set and not taken is found by each `select` that begins after the `set` has returned, unless
/// another thread takes it; also if a thread has stopped in the middle of a call.
///
/// Nothing waits here. A thread that is to sleep until a signal is set needs an event of its own,
/// or contracts (<weft/contract.hpp>), which are built on such trees.
class WEFT_API signal_tree {
public:
    /// A tree of `signals` signals, none of which is set. Throws std::bad_alloc.
    explicit signal_tree(std::size_t signals);
    /// No thread may be inside a call.
    ~signal_tree();
    signal_tree(const signal_tree&) = delete;
    signal_tree& operator=(const signal_tree&) = delete;

    /// Sets a signal. Returns true if it was not set before. Throws `errc::invalid_argument` for a
    /// number that is not below `size`.
    bool set(std::size_t signal);
    /// Takes a signal that is set: it is not set any more, and no other thread gets it. Which one
    /// is decided by the bias; without one, selections of one cursor are fair: each signal that
    /// stays set, or is set again, has its turn before another has its second. Nothing if no signal
    /// is set.
    std::optional<std::size_t> select(signal_cursor& cursor,
                                      const selection_bias& bias = {}) noexcept;
    /// Takes this signal. Returns true if it was set. Throws as `set`.
    bool reset(std::size_t signal);
    /// Whether the signal is set. Throws as `set`.
    [[nodiscard]] bool is_set(std::size_t signal) const;
    /// Whether no signal is set. May be false for an empty tree, until a `select` has found
    /// nothing. If it is true, the caller sees what came before the selections that have emptied
    /// the tree.
    [[nodiscard]] bool empty() const noexcept { return marks_.empty(); }

    /// The number of signals.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The number of levels below the root, for a function of depth: the least number with at least
    /// `size` leaves.
    [[nodiscard]] unsigned levels() const noexcept;
    /// Bytes that were allocated: a fifth of a byte for each signal.
    [[nodiscard]] std::size_t memory() const noexcept;

private:
    static constexpr std::size_t width = 64;
    using word = sync::atomic<std::uint64_t>;

    static std::uint64_t bit_of(std::size_t signal) noexcept {
        return std::uint64_t{1} << signal % width;
    }
    void require_below_size(std::size_t signal, const char* call) const;
    [[nodiscard]] bool take(std::size_t signal) noexcept;
    bool retire(std::size_t word_index) noexcept;
    [[nodiscard]] std::optional<std::size_t> take_from(std::size_t start, std::size_t end) noexcept;
    [[nodiscard]] std::optional<std::size_t> take_in_turn(std::size_t& next, std::size_t first,
                                                          std::size_t last) noexcept;
    [[nodiscard]] std::optional<std::size_t> take_nearest(std::size_t target) noexcept;

    const std::size_t size_;
    detail::mark_tree marks_; // of the words
    word* const words_;
};

} // namespace weft::inline v0
