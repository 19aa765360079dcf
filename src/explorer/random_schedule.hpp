// Random schedules with priorities (PCT): the ready thread of highest priority runs; at a few
// random steps the running thread falls behind all others.
#pragma once

#include "explorer/view.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace weft::inline v0::explorer::detail {

class random_schedule {
public:
    random_schedule(std::uint64_t seed, int depth)
        : seed_{seed}, falls_(depth > 1 ? static_cast<std::size_t>(depth) - 1 : 0) {}

    /// The schedule with this number; the same number gives the same schedule.
    void start(std::uint64_t number, int expected_steps) {
        state_ = seed_;
        state_ = next() ^ number; // so that neighbouring seeds give unrelated schedules
        state_ = next();
        lowest_ = 0;
        const auto steps = static_cast<unsigned>(expected_steps > 0 ? expected_steps : 1);
        for (int& each : falls_) each = static_cast<int>(below(steps)) + 1;
        freeze_at_ = static_cast<int>(below(steps)) + 1;
        for (std::int64_t& each : priorities_) each = static_cast<std::int64_t>(next() >> 2) + 1;
    }

    /// A number below `count`.
    unsigned below(unsigned count) { return static_cast<unsigned>(next() % count); }

    void fall_behind(std::size_t thread) { priorities_[thread] = --lowest_; }
    void maybe_fall_behind(std::size_t thread, int step) {
        for (const int each : falls_) {
            if (each == step) fall_behind(thread);
        }
    }
    [[nodiscard]] std::int64_t priority(std::size_t thread) const { return priorities_[thread]; }
    [[nodiscard]] bool freezes_at(int step) const { return step >= freeze_at_; }

private:
    // splitmix64: any state is a good one.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    std::uint64_t seed_;
    std::uint64_t state_ = 0;
    std::vector<int> falls_;
    int freeze_at_ = 0;
    std::int64_t lowest_ = 0;
    std::array<std::int64_t, max_threads> priorities_{};
};

} // namespace weft::inline v0::explorer::detail
