// How many elements a loop runs between two looks at the alarm.
#pragma once

#include <weft/detail/sync/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::inline v0::detail {

/// The pace of a loop: how often it looks at the alarm. That is about four times in a microsecond,
/// or sixteen times if its elements are `dear`. If its next elements take a thousand times as long,
/// a hungry worker waits for a whole step of them. With dear elements that is more likely, so steps
/// are shorter. The loop reads the clock at every eighth look, or at each while its elements turn
/// out cheaper than they seemed. So the clock costs little, and a loop whose elements become dearer
/// adapts.
///
/// With a grain, the loop looks once per grain, and no clock is read.
class pace {
public:
    using ticks = sync::tick_counter;

    explicit pace(std::size_t grain) noexcept
        : step_{std::max<std::size_t>(grain, 1)}, fixed_{grain != 0} {}

    /// A piece begins, on this thread.
    void begin() noexcept {
        if (fixed_) return;
        begin_ = ticks::now();
        count_ = 0;
        looks_ = 1;
    }

    /// The number of elements to run before the next look.
    [[nodiscard]] std::size_t next(std::size_t rest) const noexcept {
        if (fixed_) return rest / 2 < step_ ? rest : step_; // what is left is a grain or none
        return std::min(step_, rest);
    }

    /// The loop has run `count` elements. `urgent`: the estimate is needed now.
    void ran(std::size_t count, bool urgent) noexcept {
        if (fixed_) return;
        count_ += count;
        if (looks_ > 1 && !urgent) --looks_;
        else measure();
    }

    /// When the clock was last read.
    [[nodiscard]] std::uint64_t last_reading() const noexcept { return begin_; }
    [[nodiscard]] bool is_fixed() const noexcept { return fixed_; }
    /// Whether a piece may have this many elements.
    [[nodiscard]] std::size_t least() const noexcept { return fixed_ ? step_ : 1; }
    /// Whether it is known how long elements take. Very short times are mostly those of reading the
    /// clock, and the first element may have waited for memory.
    [[nodiscard]] bool is_known() const noexcept { return known_; }
    /// About how long this many elements will take; `is_known` must be true.
    [[nodiscard]] double estimate(std::size_t count) const noexcept {
        return each_ * static_cast<double>(count);
    }

private:
    static constexpr auto between_looks = static_cast<double>(ticks::in_microsecond) / 4;
    static constexpr auto between_looks_at_dear = between_looks / 4;
    static constexpr double dear = 0.008 * ticks::in_microsecond;
    static constexpr double long_enough = 0.1 * ticks::in_microsecond;
    static constexpr double long_enough_at_first = 2.0 * ticks::in_microsecond;
    static constexpr std::size_t most_growth = 64;
    static constexpr unsigned looks_between_measures = 8;

    void measure() noexcept {
        const std::uint64_t now = ticks::now();
        const double passed = now > begin_ ? static_cast<double>(now - begin_) : 1.0;
        known_ = known_ || passed >= (measured_ ? long_enough : long_enough_at_first);
        measured_ = true;
        each_ = passed / static_cast<double>(count_);
        const double wanted = (each_ < dear ? between_looks : between_looks_at_dear) / each_;
        constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
        const std::size_t most = step_ > largest / most_growth ? largest : step_ * most_growth;
        const std::size_t before = step_;
        if (wanted >= static_cast<double>(most)) step_ = most;
        else step_ = std::max<std::size_t>(static_cast<std::size_t>(wanted), 1);
        looks_ = step_ / 2 >= before ? 1 : looks_between_measures;
        begin_ = now;
        count_ = 0;
    }

    std::size_t step_;
    bool fixed_;
    bool measured_ = false;
    bool known_ = false;
    unsigned looks_ = 1;    // until the clock is read
    std::size_t count_ = 0; // elements since the clock was read
    std::uint64_t begin_ = 0;
    double each_ = 0;
};

} // namespace weft::inline v0::detail
