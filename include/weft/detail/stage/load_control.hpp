// How many items may wait, so that nearly all of them begin in time.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <algorithm>
#include <cstdint>

namespace weft::inline v0::detail {

/// A controller that keeps a promise about time by changing a limit of the number of items:
/// additive increase, multiplicative decrease. It looks at waiting times, never at lengths: how
/// long a queue may be depends on how long its items take.
///
/// A pure function of what it is given: times are ticks of any clock.
class load_control {
public:
    /// 99 of 100 items shall begin within `target`; the limit is never above `most`.
    load_control(std::uint64_t target, std::uint32_t most) noexcept
        : target_{target}, most_{most}, limit_{most} {}

    /// Called from time to time with what has happened since the last call that returned true or
    /// took it into account: `begun` items have begun, `late` of them after more than the target,
    /// and `was_full` says whether an item was refused, dropped or had to wait for room. Returns
    /// whether it was taken into account; the limit may be another one then.
    bool decide(std::uint64_t now, std::uint64_t begun, std::uint64_t late,
                bool was_full) noexcept {
        if (since_ == 0) since_ = now;
        const std::uint64_t elapsed = now - since_;
        if (elapsed < target_ || begun < least_begun) return false;
        since_ = now;
        if (late * 100 > begun) {
            // What begins in the time of the target is what may wait, by Little's law.
            const double rate = static_cast<double>(begun) / static_cast<double>(elapsed);
            const double sustained = rate * static_cast<double>(target_);
            const double lowered = std::min(static_cast<double>(limit_) * decrease, sustained);
            limit_ = static_cast<std::uint32_t>(std::max(lowered, 1.0));
        } else if (was_full) {
            limit_ = std::min(most_, limit_ + std::max(limit_ / 32, 1U));
        }
        return true;
    }
    void set_most(std::uint32_t most) noexcept {
        // A limit that was not lowered follows.
        limit_ = limit_ == most_ ? most : std::min(limit_, most);
        most_ = most;
    }
    [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }
    [[nodiscard]] std::uint64_t target() const noexcept { return target_; }

private:
    static constexpr std::uint64_t least_begun = 20; // fewer say nothing about 1 of 100
    static constexpr double decrease = 0.85;

    std::uint64_t target_;
    std::uint32_t most_;
    std::uint32_t limit_;
    std::uint64_t since_ = 0;
};

/// What the runs of a stage tell its controller.
struct controlled_load {
    explicit controlled_load(const load_control& made) noexcept : control{made} {}

    load_control control;
    sync::atomic<std::uint64_t> begun{0};
    sync::atomic<std::uint64_t> late{0};
    std::uint64_t refused_before = 0; // when the controller decided last

    void note_wait(std::uint64_t wait) noexcept {
        begun.fetch_add(1, sync::relaxed);
        if (wait > control.target()) late.fetch_add(1, sync::relaxed);
    }
    /// In the section. `refused` counts since the stage was made.
    void decide(std::uint64_t now, std::uint64_t refused, bool any_waits) noexcept {
        const std::uint64_t begun_now = begun.load(sync::relaxed);
        const std::uint64_t late_now = late.load(sync::relaxed);
        const bool was_full = any_waits || refused != refused_before;
        if (!control.decide(now, begun_now, late_now, was_full)) return;
        begun.fetch_sub(begun_now, sync::relaxed);
        late.fetch_sub(late_now, sync::relaxed);
        refused_before = refused;
    }
};

} // namespace weft::inline v0::detail
