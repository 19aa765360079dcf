#include <weft/detail/timer/timer_wheel.hpp>

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/timer/timer_node.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace weft::timer_wheel_test {
namespace {

using detail::alarm_time;
using detail::timer_wheel;

constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();
constexpr alarm_time tick = alarm_time{1} << 16;

struct timer : detail::timer_node {
    timer() : timer_node{[](timer_node&, detail::timer_end) noexcept {}} {}
    void put(timer_wheel& wheel, alarm_time due) {
        deadline.store(due, sync::relaxed);
        wheel.insert(*this, due);
    }
    [[nodiscard]] alarm_time due() const { return deadline.load(sync::relaxed); }
};

/// The deadlines of what is handed out.
std::vector<alarm_time> advance(timer_wheel& wheel, alarm_time now,
                                std::size_t most = without_limit) {
    std::vector<alarm_time> out;
    wheel.advance(now, most, [&](detail::timer_node& each) {
        out.push_back(each.deadline.load(sync::relaxed));
    });
    return out;
}

TEST(timer_wheel, is_empty_at_first) {
    timer_wheel wheel{1'000};
    EXPECT_EQ(wheel.earliest(), detail::no_alarm);
    EXPECT_TRUE(advance(wheel, detail::last_alarm).empty());
}

TEST(timer_wheel, hands_out_a_timer_at_its_deadline_and_not_a_nanosecond_earlier) {
    for (const alarm_time delay :
         {alarm_time{0}, alarm_time{1}, tick - 1, tick, 63 * tick, 64 * tick, 64 * tick + 1,
          4096 * tick - 1, 4096 * tick, 1'000'000'000 * tick, detail::last_alarm - 12'345 * tick}) {
        timer_wheel wheel{12'345 * tick};
        timer only;
        const alarm_time due = 12'345 * tick + delay;
        only.put(wheel, due);
        EXPECT_EQ(wheel.earliest(), due);
        EXPECT_TRUE(advance(wheel, due - 1).empty()) << delay;
        EXPECT_EQ(wheel.earliest(), due);
        EXPECT_EQ(advance(wheel, due), std::vector<alarm_time>{due}) << delay;
        EXPECT_EQ(wheel.earliest(), detail::no_alarm);
    }
}

TEST(timer_wheel, has_a_deadline_that_has_passed_before_it_was_started) {
    timer_wheel wheel{1'000 * tick};
    timer late;
    late.put(wheel, 3);
    EXPECT_EQ(wheel.earliest(), 3);
    EXPECT_EQ(advance(wheel, 1'000 * tick), std::vector<alarm_time>{3});
}

TEST(timer_wheel, fires_a_timer_that_was_moved_at_its_new_deadline) {
    for (const alarm_time first : {10 * tick, 100 * tick, 10'000 * tick}) {
        for (const alarm_time second : {3 * tick, first - 1, first, first + 1, 1'000'000 * tick}) {
            timer_wheel wheel{0};
            timer only;
            only.put(wheel, first);
            only.deadline.store(second, sync::relaxed);
            wheel.move(only, second);
            EXPECT_LE(wheel.earliest(), second);
            EXPECT_TRUE(advance(wheel, second - 1).empty());
            EXPECT_EQ(advance(wheel, second), std::vector<alarm_time>{second});
        }
    }
}

TEST(timer_wheel, forgets_a_timer_that_is_removed) {
    timer_wheel wheel{0};
    timer first;
    timer second;
    first.put(wheel, 100 * tick);
    second.put(wheel, 200 * tick);
    wheel.remove(first);
    EXPECT_EQ(wheel.earliest(), 200 * tick);
    wheel.remove(second);
    EXPECT_EQ(wheel.earliest(), detail::no_alarm);
    EXPECT_TRUE(advance(wheel, detail::last_alarm).empty());
}

TEST(timer_wheel, does_some_at_a_time_and_says_that_there_is_more) {
    timer_wheel wheel{0};
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i < 10; ++i) {
        timers.push_back(std::make_unique<timer>());
        timers.back()->put(wheel, 5'000 * tick + i);
    }
    std::size_t handed_out = 0;
    for (int looks = 0; handed_out < 10; ++looks) {
        ASSERT_LT(looks, 30);
        ASSERT_LE(wheel.earliest(), 5'000 * tick + 10);
        const std::size_t now = advance(wheel, 5'000 * tick + 10, 3).size();
        ASSERT_LE(now, 3U);
        handed_out += now;
    }
    EXPECT_EQ(wheel.earliest(), detail::no_alarm);
}

TEST(timer_wheel, keeps_timers_that_are_removed_while_a_slot_is_half_done) {
    timer_wheel wheel{0};
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i < 10; ++i) {
        timers.push_back(std::make_unique<timer>());
        timers.back()->put(wheel, 5'000 * tick + i);
    }
    const std::size_t done = advance(wheel, 5'000 * tick + 10, 4).size();
    std::size_t removed = 0;
    for (const auto& each : timers) {
        if (each->link == nullptr || removed == 3) continue;
        wheel.remove(*each);
        ++removed;
    }
    EXPECT_EQ(done + removed + advance(wheel, 5'000 * tick + 10).size(), 10U);
}

/// What is said of an opened slot must not be said of the slot that has its place later.
TEST(timer_wheel, moves_a_timer_of_a_slot_that_is_half_done) {
    timer_wheel wheel{0};
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i < 3; ++i) {
        timers.push_back(std::make_unique<timer>());
        timers.back()->put(wheel, 70 * tick);
    }
    EXPECT_EQ(advance(wheel, 70 * tick, 1).size() + 1, 2U);
    for (const auto& each : timers) {
        if (each->link == nullptr) continue;
        each->deadline.store(71 * tick, sync::relaxed);
        wheel.move(*each, each->due());
    }
    EXPECT_TRUE(advance(wheel, 70 * tick).empty());
    EXPECT_EQ(advance(wheel, 71 * tick).size(), 2U);
    timer later;
    later.put(wheel, (64 * 64 + 70) * tick);
    EXPECT_TRUE(advance(wheel, (64 * 64 + 3) * tick).empty());
    EXPECT_GT(wheel.earliest(), (64 * 64 + 3) * tick);
}

TEST(timer_wheel, hands_out_everything_when_it_is_asked_to) {
    timer_wheel wheel{0};
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i < 60; ++i) {
        timers.push_back(std::make_unique<timer>());
        timers.back()->put(wheel, alarm_time{1} << i);
    }
    std::size_t taken = 0;
    for (int looks = 0; wheel.earliest() != detail::no_alarm; ++looks) {
        ASSERT_LT(looks, 20);
        wheel.take_all(7, [&](detail::timer_node&) { ++taken; });
    }
    EXPECT_EQ(taken, 60U);
}

TEST(timer_wheel, tells_of_timers_put_aside) {
    timer_wheel wheel{0};
    timer claimed;
    claimed.put(wheel, 5);
    EXPECT_FALSE(wheel.has_aside());
    wheel.advance(5, without_limit, [&](detail::timer_node& each) { wheel.put_aside(each); });
    EXPECT_TRUE(wheel.has_aside());
    EXPECT_EQ(wheel.earliest(), detail::no_alarm);
    wheel.remove(claimed);
    EXPECT_FALSE(wheel.has_aside());
}

/// Random timers against a sorted list: started, moved, cancelled and fired in any order, at any
/// distance, with time in steps from a nanosecond to years.
TEST(timer_wheel, agrees_with_a_sorted_list) {
    std::mt19937_64 random{1};
    const auto distance = [&] { return static_cast<alarm_time>(random() >> (8 + random() % 56)); };
    for (int round = 0; round < 100; ++round) {
        alarm_time now = distance();
        timer_wheel wheel{now};
        std::vector<std::unique_ptr<timer>> timers;
        for (int i = 0; i < 200; ++i) timers.push_back(std::make_unique<timer>());
        std::multimap<alarm_time, timer*> sorted;
        const auto forget = [&](timer& each) {
            const auto [begin, end] = sorted.equal_range(each.due());
            sorted.erase(
                std::find_if(begin, end, [&](const auto& entry) { return entry.second == &each; }));
        };
        const auto put = [&](timer& each) {
            each.put(wheel, now + std::min(distance(), detail::last_alarm - now));
            sorted.emplace(each.due(), &each);
        };
        for (int step = 0; step < 1'000; ++step) {
            timer& chosen = *timers[random() % timers.size()];
            if (chosen.link != nullptr && random() % 2 == 0) {
                forget(chosen);
                chosen.deadline.store(now + std::min(distance(), detail::last_alarm - now),
                                      sync::relaxed);
                wheel.move(chosen, chosen.due());
                sorted.emplace(chosen.due(), &chosen);
            } else if (chosen.link != nullptr) {
                wheel.remove(chosen);
                forget(chosen);
                if (random() % 2 == 0) put(chosen);
            } else {
                put(chosen);
            }
            ASSERT_LE(wheel.earliest(), sorted.empty() ? detail::no_alarm : sorted.begin()->first);
            if (step % 10 != 0 || now > detail::last_alarm / 2) continue;
            now += distance() % (detail::last_alarm / 4);
            std::vector<alarm_time> due;
            while (!sorted.empty() && sorted.begin()->first <= now) {
                due.push_back(sorted.begin()->first);
                sorted.erase(sorted.begin());
            }
            std::vector<alarm_time> found = advance(wheel, now);
            std::ranges::sort(found);
            ASSERT_EQ(found, due);
            ASSERT_TRUE(wheel.earliest() > now);
        }
    }
}

} // namespace
} // namespace weft::timer_wheel_test
