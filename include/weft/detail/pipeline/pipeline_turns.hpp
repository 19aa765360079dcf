// Turns of the lines of a pipeline at a part that is called in order.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::inline v0::detail {

/// Lines take turns: 0, 1, …, the last, 0 again. A line that arrives before its turn stays away,
/// and the line before it takes it along.
///
/// | operation | caller                           | progress  |
/// |-----------|----------------------------------|-----------|
/// | arrive    | the thread that runs the line    | wait-free |
/// | pass      | the thread whose line has a turn | wait-free |
///
/// States of a line's cell
///   away    --arrive--> waiting   the line stops here
///   away    --pass----> turn      it will not stop here
///   turn    --arrive--> away      the line goes on
///   waiting --pass----> away      the line goes on: the caller of `pass` sees to that
///
/// Invariants
///  LT1  One line at a time has the turn: it is given at first to one line, and then passed on by
///       the line that has it.
///  LT2  Of the arrival of a line and the pass to it, the second one goes on with the line; no
///       thread waits for the other.
///  LT3  What came before a pass, and before the arrival, happens before what the line does next.
class pipeline_turns {
public:
    /// Line 0 has the first turn. The other lines are waiting already if `all_wait`.
    pipeline_turns(std::size_t lines, bool all_wait)
        : lines_{lines}, cells_{std::make_unique<cell[]>(lines)} {
        cells_[0].state.store(turn, sync::relaxed);
        for (std::size_t i = 1; all_wait && i < lines; ++i) {
            cells_[i].state.store(waiting, sync::relaxed);
        }
    }

    /// True if the line has its turn. If not, it is another thread's afterwards.
    [[nodiscard]] bool arrive(std::size_t line) noexcept {
        auto& state = cells_[line].state;
        // LT3: acquire, and release for the thread that passes; pairs with pass() [PASS-1]
        if (state.exchange(waiting, sync::acq_rel) == away) return false;
        // No thread looks at it before the turn has gone round.
        state.store(away, sync::relaxed);
        return true;
    }
    /// The turn goes to the next line. True if that one is waiting: the caller goes on with it.
    [[nodiscard]] bool pass(std::size_t line) noexcept {
        auto& state = cells_[after(line)].state;
        // LT3: release, and acquire of what the waiting line has left; pairs with arrive() [PASS-2]
        if (state.exchange(turn, sync::acq_rel) == away) return false;
        state.store(away, sync::relaxed); // as in arrive()
        return true;
    }
    [[nodiscard]] std::size_t after(std::size_t line) const noexcept {
        return line + 1 == lines_ ? 0 : line + 1;
    }

private:
    static constexpr std::uint32_t away = 0;
    static constexpr std::uint32_t turn = 1;
    static constexpr std::uint32_t waiting = 2;
    struct alignas(64) cell {
        sync::atomic<std::uint32_t> state{away};
    };

    const std::size_t lines_;
    std::unique_ptr<cell[]> cells_;
};

} // namespace weft::inline v0::detail
