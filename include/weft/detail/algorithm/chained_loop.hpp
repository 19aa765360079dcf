// A loop in which each element needs what those before it gave: scans and filters.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/algorithm/pace.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/fork_join.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// The steps of a chained loop. A state is what the elements before a place gave; a summary is what
/// a block adds to any state.
template <class T>
concept chain_steps =
    std::copyable<typename T::state> &&
    requires(T& steps, typename T::state& state, typename T::summary& summary, std::size_t index) {
        /// Runs these elements, and changes the state to the one behind them.
        { steps.run(state, index, index) };
        /// Looks at a block, the state of which is not known.
        { steps.look(index, index) } -> std::same_as<typename T::summary>;
        /// Changes the state to the one behind the block.
        { steps.add(state, summary) };
        /// Runs a block whose summary is known.
        { steps.finish(state, summary, index, index) };
        /// The most elements of a block.
        { T::most_in_block } -> std::convertible_to<std::size_t>;
    };

/// A chained loop, as a piece of `divided_loop`. Alone, its worker runs the elements once, in
/// order. When others are hungry, k workers do a window of k + 1 blocks in two steps:
///
/// ```
///   step 1:  run block 0  | look at block 1 | ... | look at block k - 1
///   step 2:  finish 1     | finish 2        | ... | finish k - 1         | run block k
/// ```
///
/// So two workers do three blocks in the time of two. A block is small enough to be in the cache
/// when it is finished. If no worker has come when block 0 is done, the loop goes on alone, and
/// nothing was done in vain.
template <chain_steps Steps>
class chained_piece {
    using state = typename Steps::state;
    using summary = typename Steps::summary;

public:
    chained_piece(algorithm_call& call, Steps& steps, state first)
        : call_{&call}, steps_{&steps}, now_{std::move(first)} {}

    void operator()(std::size_t first, std::size_t last) { steps_->run(now_, first, last); }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }

    [[nodiscard]] std::size_t share(worker& self, std::size_t first, std::size_t last,
                                    const pace& speed) {
        const std::size_t idle = self.pool().sleep.idle();
        const std::size_t workers = std::clamp<std::size_t>(idle + 1, 2, most_workers);
        window blocks{first, block_size(last - first, speed, workers), workers};
        if (blocks.size == 0) return first;
        if (!look(self, blocks)) return blocks.end(0);
        finish(self, blocks);
        return blocks.end(blocks.workers);
    }

    /// The state behind the last element.
    [[nodiscard]] state& result() noexcept { return now_; }

private:
    /// At most 16, and fewer if what is known of their blocks would take too much of the stack.
    static constexpr std::size_t most_workers = std::clamp<std::size_t>(
        (std::size_t{64} << 10U) / (sizeof(std::optional<summary>) + sizeof(std::optional<state>)),
        2, 16);

    /// Blocks 0 to `workers`, and what is known of them.
    struct window {
        std::size_t first;
        std::size_t size; // of a block
        std::size_t workers;
        std::array<std::optional<summary>, most_workers> summaries = {};
        std::array<std::optional<state>, most_workers> states = {};

        [[nodiscard]] std::size_t begin(std::size_t block) const { return first + block * size; }
        [[nodiscard]] std::size_t end(std::size_t block) const { return begin(block + 1); }
    };

    /// Not so long that a worker which becomes hungry meanwhile would have to wait.
    static std::size_t block_size(std::size_t rest, const pace& speed, std::size_t workers) {
        constexpr double longest = 200.0 * sync::tick_counter::in_microsecond;
        std::size_t size = std::min<std::size_t>(rest / (workers + 1), Steps::most_in_block);
        if (speed.is_known() && speed.estimate(size) > longest) {
            size = static_cast<std::size_t>(longest / speed.estimate(1)) + 1;
        }
        return size < std::min<std::size_t>(speed.least(), Steps::most_in_block) ? 0 : size;
    }

    /// Step 1. Returns false if no other worker has come: then only block 0 is done.
    bool look(worker& self, window& blocks) {
        bool stolen = false;
        const auto run_first = [&] { run_guarded(blocks.begin(0), blocks.end(0)); };
        const auto look_at_others = [&] {
            // The worker itself runs this after the other, when it need not look any more.
            if (worker::current() == &self) return;
            stolen = true;
            for_blocks(1, blocks.workers, [&](std::size_t block) {
                blocks.summaries[block].emplace(
                    steps_->look(blocks.begin(block), blocks.end(block)));
            });
        };
        share_and_fork(self, run_first, look_at_others);
        return stolen;
    }

    /// Step 2. The last block has no summary: it is run, and gives the state behind the window.
    void finish(worker& self, window& blocks) {
        for (std::size_t block = 1; block != blocks.workers; ++block) {
            blocks.states[block].emplace(now_);
            steps_->add(now_, *blocks.summaries[block]);
        }
        // First the last block: the others are in the caches of the workers that have looked at
        // them.
        std::exception_ptr failed;
        const auto run_last = [&]() noexcept {
            try {
                run_guarded(blocks.begin(blocks.workers), blocks.end(blocks.workers));
            } catch (...) {
                failed = std::current_exception();
            }
        };
        const auto finish_others = [&] {
            for_blocks(1, blocks.workers, [&](std::size_t block) {
                steps_->finish(*blocks.states[block], *blocks.summaries[block], blocks.begin(block),
                               blocks.end(block));
            });
        };
        share_and_fork(self, run_last, finish_others);
        if (failed) std::rethrow_exception(std::move(failed)); // the others come before it
    }

    void run_guarded(std::size_t first, std::size_t last) {
        call_->guard([&] { steps_->run(now_, first, last); });
    }

    /// Shares the second at once: workers come and go with each step, and have not asked yet.
    template <class First, class Second>
    static void share_and_fork(worker& self, const First& first, const Second& second) {
        self.request_share();
        static_cast<void>(fork_join(first, second));
    }

    /// Calls `action(block)` for each, in parallel.
    template <class Action>
    void for_blocks(std::size_t first, std::size_t last, const Action& action) {
        if (last - first == 1) {
            return call_->guard([&] {
                if (!call_->should_end()) action(first);
            });
        }
        const std::size_t middle = first + (last - first) / 2;
        const auto run_left = [&] { for_blocks(first, middle, action); };
        const auto run_right = [&] { for_blocks(middle, last, action); };
        worker& self = *worker::current();
        if (can_fork(self)) return share_and_fork(self, run_left, run_right);
        run_left();
        run_right();
    }

    algorithm_call* call_;
    Steps* steps_;
    state now_;
};

/// Runs `steps` for indices 0 to count - 1, and returns the state behind them.
template <class Steps>
typename Steps::state run_chain(pool* home, const char* name, std::size_t count, Steps& steps,
                                typename Steps::state first, const parallel_options& options) {
    algorithm_call call{name, options};
    chained_piece<Steps> piece{call, steps, std::move(first)};
    divided_loop<chained_piece<Steps>>{call, {}}.run(home, count, piece);
    return std::move(piece.result());
}

} // namespace weft::inline v0::detail
