// Timers by their deadlines: starting, moving and cancelling in constant time.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/sync/order.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/timer/timer_node.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::inline v0::detail {

/// A hierarchical timing wheel (Varghese & Lauck, 1987). One thread at a time uses it; it knows
/// nothing of clocks and threads.
///
/// Time is counted in ticks of 2^16 ns. A tick is a number of eight digits in base 64; the wheel
/// has a level for each digit, and a slot for each value of it. A timer is at the level of the
/// highest digit in which its deadline differs from the current tick, in the slot of the value that
/// its deadline has there. So all timers of a level come after all timers of lower levels, and the
/// earliest ones are in the first slot of the lowest level that has any.
///
/// Invariants
///  TW1  A timer of a level above the lowest is in a slot behind the current tick's.
///  TW2  A slot has its bit exactly if it is not empty.
///  TW3  The earliest time of a slot is no later than the deadline of any timer in it; it is exact
///       when the slot was filled and nothing was taken out or put off.
///  TW4  A timer is handed out only when its exact deadline has come: never early.
///
/// When time comes to a slot, its timers are linked anew, at lower levels, or are due. That is done
/// for some at a time: what is left of a slot is in a list of its own, and comes first.
class timer_wheel {
public:
    /// The wheel begins at this time: what is due then need not be linked anew first.
    explicit timer_wheel(alarm_time now) noexcept : current_{tick_of(now)} {}

    /// Links a timer that is in no slot.
    void insert(timer_node& timer, alarm_time deadline) noexcept {
        const std::uint64_t now = current_.read();
        const std::uint64_t tick = std::max(tick_of(deadline), now);
        const unsigned highest = 63U - static_cast<unsigned>(std::countl_zero((tick ^ now) | 1U));
        const unsigned place = highest / digit_bits;
        const auto value = static_cast<unsigned>(tick >> place * digit_bits) % values;
        slot& target = levels_[place].slots[value];
        levels_[place].filled |= std::uint64_t{1} << value;
        filled_levels_ |= 1U << place;
        target.earliest = std::min(target.earliest, deadline);
        timer.slot = static_cast<std::uint16_t>(place * values + value);
        put_first(timer, target.first);
    }
    /// Gives a timer that is linked another deadline. If that is no earlier than its slot, it stays
    /// where it is, and is linked anew when time comes to the slot: so a deadline that is put off
    /// again and again, as most are, costs no more than a look at the timer.
    void move(timer_node& timer, alarm_time deadline) noexcept {
        if (tick_of(deadline) < begin_of(timer.slot)) {
            remove(timer);
            insert(timer, deadline);
            return;
        }
        // An empty slot is not the timer's: that one has been opened, and will be done soon.
        slot& own = slot_at(timer.slot);
        if (own.first != nullptr) own.earliest = std::min(own.earliest, deadline);
    }
    /// Takes a timer out of its slot.
    void remove(timer_node& timer) noexcept {
        *timer.link = timer.next;
        if (timer.next != nullptr) timer.next->link = timer.link;
        timer.link = nullptr;
        // It may be in another list by now, and the slot empty or filled again: that does no harm.
        if (slot_at(timer.slot).first == nullptr) mark_empty(timer.slot);
    }

    /// Puts a timer that another thread has claimed aside, until that thread's request comes.
    void put_aside(timer_node& timer) noexcept { put_first(timer, aside_); }
    [[nodiscard]] bool has_aside() const noexcept { return aside_ != nullptr; }

    /// No later than the first deadline; `no_alarm` if there are no timers but those put aside.
    [[nodiscard]] alarm_time earliest() const noexcept {
        static_cast<void>(current_.read()); // the caller holds the wheel: the model checks that
        if (opened_ != nullptr) return 0;
        if (filled_levels_ == 0) return no_alarm;
        return levels_[lowest_level()].first_slot().earliest;
    }

    /// Calls `hand_out(timer)` for timers that are due, each taken out of its slot before, and
    /// links others anew: `most` in all. Returns how many of these it has left to do.
    template <class HandOut>
    std::size_t advance(alarm_time now, std::size_t most, HandOut hand_out) noexcept {
        const std::uint64_t tick = tick_of(now);
        while (most > 0 && (opened_ != nullptr || open_slot(now, tick))) {
            --most;
            timer_node& timer = *opened_;
            remove(timer);
            const alarm_time deadline = timer.deadline.load(sync::relaxed);
            if (deadline <= now) hand_out(timer); // TW4
            else insert(timer, deadline);
        }
        if (opened_ == nullptr && most > 0 && tick > current_.read()) current_.write(tick);
        return most;
    }
    /// The same for all timers, whatever their deadlines.
    template <class HandOut>
    void take_all(std::size_t most, HandOut hand_out) noexcept {
        for (; most > 0 && (opened_ != nullptr || filled_levels_ != 0); --most) {
            if (opened_ == nullptr) open(first_position());
            timer_node& timer = *opened_;
            remove(timer);
            hand_out(timer);
        }
    }

private:
    static constexpr unsigned tick_bits = 16;
    static constexpr unsigned digit_bits = 6;
    static constexpr unsigned values = 1U << digit_bits;
    static constexpr unsigned level_count = 8; // 48 bits of ticks: all of alarm_time

    struct slot {
        timer_node* first = nullptr;
        alarm_time earliest = no_alarm;
    };
    struct level {
        std::uint64_t filled = 0;
        std::array<slot, values> slots{};
        [[nodiscard]] unsigned first_filled() const noexcept {
            return static_cast<unsigned>(std::countr_zero(filled));
        }
        [[nodiscard]] const slot& first_slot() const noexcept { return slots[first_filled()]; }
    };

    static std::uint64_t tick_of(alarm_time time) noexcept {
        return static_cast<std::uint64_t>(std::max<alarm_time>(time, 0)) >> tick_bits;
    }
    static void put_first(timer_node& timer, timer_node*& head) noexcept {
        timer.next = head;
        if (head != nullptr) head->link = &timer.next;
        timer.link = &head;
        head = &timer;
    }
    [[nodiscard]] unsigned lowest_level() const noexcept {
        return static_cast<unsigned>(std::countr_zero(filled_levels_));
    }
    [[nodiscard]] unsigned first_position() const noexcept {
        const unsigned lowest = lowest_level();
        return lowest * values + levels_[lowest].first_filled();
    }

    [[nodiscard]] slot& slot_at(unsigned position) noexcept {
        return levels_[position / values].slots[position % values];
    }
    /// The tick of the first possible deadline in a slot.
    [[nodiscard]] std::uint64_t begin_of(unsigned position) const noexcept {
        const unsigned shift = position / values * digit_bits;
        const std::uint64_t above = current_.read() >> (shift + digit_bits) << (shift + digit_bits);
        return above | std::uint64_t{position % values} << shift;
    }
    void mark_empty(unsigned position) noexcept {
        slot_at(position).earliest = no_alarm;
        level& changed = levels_[position / values];
        changed.filled &= ~(std::uint64_t{1} << position % values);
        if (changed.filled == 0) filled_levels_ &= ~(1U << position / values);
    }

    /// Opens the first slot if time has come to it. The tick of a slot is that of its first
    /// possible deadline; the wheel's current tick becomes that, so that its timers go to lower
    /// levels. In the slot of the present tick there may be timers that are not due.
    bool open_slot(alarm_time now, std::uint64_t tick) noexcept {
        if (filled_levels_ == 0) return false;
        const unsigned position = first_position();
        const std::uint64_t begin = begin_of(position);
        if (begin > tick) return false;
        if (position < values && begin == tick && levels_[0].first_slot().earliest > now)
            return false;
        if (begin > current_.read()) current_.write(begin);
        open(position);
        return true;
    }
    void open(unsigned position) noexcept {
        opened_ = std::exchange(slot_at(position).first, nullptr);
        opened_->link = &opened_;
        mark_empty(position);
    }

    sync::plain<std::uint64_t> current_;
    std::uint32_t filled_levels_ = 0;
    timer_node* opened_ = nullptr; // what is left of the slot that was opened last
    timer_node* aside_ = nullptr;
    std::array<level, level_count> levels_{};
};

} // namespace weft::inline v0::detail
