// The engine of the parallel algorithms: a loop that gives half of its rest away when another
// worker wants work.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/division.hpp>
#include <weft/detail/algorithm/pace.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/fork_join.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace weft::inline v0::detail {

/// A part of a loop, which runs its indices in ascending order and keeps what they gave.
template <class T>
concept loop_piece = requires(T& piece, std::size_t index) {
    /// Runs these indices, which follow those that it has run.
    { piece(index, index) };
    /// Whether the indices from this one on need not be run.
    { piece.is_done(index) } noexcept -> std::same_as<bool>;
};

/// A piece whose rest can be divided.
template <class T>
concept divisible_piece = loop_piece<T> && requires(T& piece, T& right, std::size_t index) {
    /// A piece that begins at this index.
    { piece.fork(index) } -> std::same_as<T>;
    /// Takes what the piece behind it gave.
    { piece.join(right) };
};

/// A piece that runs some of its rest together with other workers itself.
template <class T>
concept sharing_piece =
    loop_piece<T> && requires(T& piece, worker& self, std::size_t index, const pace& speed) {
        /// Returns the index where the loop goes on: the first if nothing could be done.
        { piece.share(self, index, index, speed) } -> std::same_as<std::size_t>;
    };

/// Marks on a worker whether its innermost loops have a rest that they could share.
class rest_mark {
public:
    explicit rest_mark(worker& self) noexcept : self_{&self}, outer_{self.loop_has_rest} {}
    ~rest_mark() { self_->loop_has_rest = outer_; }
    rest_mark(const rest_mark&) = delete;
    rest_mark& operator=(const rest_mark&) = delete;

    void set(bool rest) noexcept { self_->loop_has_rest = rest || outer_; }
    [[nodiscard]] bool outer() const noexcept { return outer_; }

private:
    worker* self_;
    bool outer_;
};

/// Whether other workers are worth dividing `rest` elements for. A worker that searches is there at
/// once. One that sleeps has to be woken, which takes this one some microseconds: for a longer
/// loop, or after many shorter ones, since it stays awake while they go on. `count` elements were
/// run since the last look.
[[nodiscard]] inline bool pays(worker& self, const pace& speed, std::size_t count,
                               std::size_t rest) noexcept {
    if (rest / 2 < speed.least()) return false;
    if (speed.is_fixed()) return true;
    if (!speed.is_known()) return false;
    constexpr double searching = 1.5 * sync::tick_counter::in_microsecond;
    constexpr double asleep = 20.0 * sync::tick_counter::in_microsecond;
    constexpr double short_loops = 100.0 * sync::tick_counter::in_microsecond;
    const double left = speed.estimate(rest);
    if (left < searching) return false;
    if (left < asleep && !self.pool().sleep.any_searches()) {
        self.unshared_ticks += speed.estimate(count);
        if (self.unshared_ticks < short_loops) return false;
    }
    self.unshared_ticks = 0;
    return true;
}

/// A loop over indices.
///
/// Invariants
///  L1  Each index is run by one piece, once; or not at all if the call fails or is done.
///  L2  Pieces are joined in the order of their indices: a piece has run everything between its
///      first index and the first of the piece that it joins.
///  L3  While no worker is hungry, nothing is forked, allocated or updated atomically.
///  L4  A hungry worker gets half of what is left of some loop after its current step, if that
///      pays.
///  L5  The depth of nested pieces is at most the binary logarithm of the number of indices, and
///      nothing is forked if little stack is left.
template <loop_piece Piece>
    requires(divisible_piece<Piece> || sharing_piece<Piece>)
class divided_loop {
public:
    divided_loop(algorithm_call& call, division shape) noexcept : call_{&call}, shape_{shape} {}

    /// Runs indices 0 to count - 1, from any thread.
    void run(pool* named, std::size_t count, Piece& piece) {
        worker* self = worker::current();
        if (pool* outside = outside_pool(named, self, call_->name())) {
            run_from_outside(*outside, count, piece);
        } else if (self->has_siblings() || call_->may_be_stopped() || call_->options().grain != 0) {
            run_here(*self, 0, count, piece, pace{call_->options().grain});
        } else if (count != 0) {
            piece(0, count); // no worker to share with
        }
    }

    /// Runs some indices on the calling worker, which may share them.
    void run_here(worker& self, std::size_t first, std::size_t last, Piece& piece, pace speed) {
        rest_mark mark{self};
        call_->guard([&] {
            if (is_few(self, speed, last - first, mark)) {
                first = share(self, first, last, piece, speed);
            }
            speed.begin();
            while (first != last) {
                const std::size_t end = block_end(first, last, speed);
                mark.set(end != last);
                piece(first, end);
                const std::size_t count = end - std::exchange(first, end);
                if (end == last || call_->should_end() || piece.is_done(first)) return;
                const bool hungry = self.is_alarmed();
                speed.ran(count, hungry);
                if (!hungry || !pays(self, speed, count, last - first)) continue;
                mark.set(false);
                first = share(self, first, last, piece, speed);
                speed.begin();
            }
        });
    }

private:
    [[nodiscard]] std::size_t block_end(std::size_t first, std::size_t last,
                                        const pace& speed) const noexcept {
        const std::size_t count = speed.next(last - first);
        return count == last - first ? last : shape_.block_end(first, count);
    }

    /// Whether a loop is divided before anything is known of it: there are few elements for each
    /// worker, such as four files, and the first could take as long as all of the rest. Not if a
    /// loop around it could be divided instead: then this one may be tiny, and run often.
    static bool is_few(const worker& self, const pace& speed, std::size_t count,
                       const rest_mark& mark) noexcept {
        constexpr std::size_t few_each = 8;
        return !speed.is_known() && !speed.is_fixed() && !mark.outer() && count > 1 &&
               count <= few_each * self.pool().sleep.workers() && self.is_alarmed();
    }

    /// Offers work to other workers, and returns the index where this one goes on. Out of line: it
    /// is rare, and its frame large.
    [[gnu::noinline]] std::size_t share(worker& self, std::size_t first, std::size_t last,
                                        Piece& piece, const pace& speed) {
        if (!can_fork(self)) return first;
        if constexpr (sharing_piece<Piece>) return piece.share(self, first, last, speed);
        else return divide(self, first, last, piece, speed);
    }

    /// Offers the second half, and runs the first and perhaps the second.
    std::size_t divide(worker& self, std::size_t first, std::size_t last, Piece& piece,
                       const pace& speed) {
        const std::size_t middle = shape_.middle(first, last, speed.least());
        Piece right = piece.fork(middle);
        const auto run_left = [&] { run_here(self, first, middle, piece, speed); };
        const auto run_right = [&] {
            if (call_->should_end() || right.is_done(middle)) return;
            run_here(*worker::current(), middle, last, right, speed);
        };
        static_cast<void>(fork_join(run_left, run_right));
        piece.join(right);
        return last;
    }

    /// The calling thread is no worker of the pool: it runs a prefix, and a worker the rest. The
    /// piece is the same, so that the worker goes on where the caller stopped.
    [[gnu::noinline]] void run_from_outside(pool& home, std::size_t count, Piece& piece) {
        pace speed{call_->options().grain};
        const bool starts_here = call_->options().starts_here && worker::current() == nullptr;
        const std::size_t first = starts_here ? run_prefix(home, count, piece) : 0;
        if (first == count || piece.is_done(first)) return;
        run_on(home, starts_here, [this, first, count, &piece, speed] {
            if (worker* self = worker::current()) run_here(*self, first, count, piece, speed);
            else piece(first, count);
        });
    }

    /// Returns the index where it stopped. Little is left then, or it seems to take long.
    std::size_t run_prefix(pool& home, std::size_t count, Piece& piece) {
        constexpr auto most = 40 * sync::tick_counter::in_microsecond;
        const pool_representative acting{home.front()};
        const std::size_t grain = call_->options().grain;
        const pace grains{grain};
        pace speed{0}; // also of a loop with a grain, to know how long it takes
        speed.begin();
        const std::uint64_t begin = speed.last_reading();
        std::size_t first = 0;
        while (first != count && !piece.is_done(first)) {
            const std::size_t wanted =
                grain != 0 ? grains.next(count - first) : speed.next(count - first);
            const std::size_t end = first + wanted;
            piece(first, end);
            speed.ran(end - std::exchange(first, end), false);
            if (first == count) break;
            static_cast<void>(call_->should_end()); // looks at the stop token
            if (speed.last_reading() - begin >= most) break;
            if (speed.is_known() && speed.estimate(count - first) >= double{most}) break;
        }
        return first;
    }

    algorithm_call* call_;
    division shape_;
};

} // namespace weft::inline v0::detail
