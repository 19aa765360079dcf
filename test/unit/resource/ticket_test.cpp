#include "resource/lane.hpp"

#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/ticket.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace weft::inline v0::detail {
namespace {

/// A ticket with its entries, on limits that it reads. `while_settling` is called when its first
/// entry has settled and the others have not, as if its thread were stopped there.
template <std::size_t Count>
class reader {
public:
    reader(std::string& order, char name, std::array<limit_word*, Count> limits)
        : order_{&order}, name_{name} {
        std::array<claim, Count> claims{};
        for (std::size_t i = 0; i < Count; ++i) claims[i] = {limits[i], 1};
        EXPECT_EQ(arrange(claims), Count);
        its.subject = this;
        its.make_entries(claims);
    }
    ~reader() {
        its.release();
        its.forget();
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    std::function<void()> while_settling;
    std::function<void()> when_ready;

private:
    static reader& of(const ticket& self) { return *static_cast<reader*>(self.subject); }
    static void call_once(std::function<void()>& what) {
        if (const auto once = std::exchange(what, nullptr)) once();
    }
    static constexpr ticket::kind kind{
        .ready =
            [](ticket& self, bool /*submitting*/) noexcept {
                *of(self).order_ += of(self).name_;
                call_once(of(self).when_ready);
            },
        .cancelled =
            [](const ticket& self) noexcept {
                call_once(of(self).while_settling);
                return false;
            },
        .free = [](ticket& /*self*/) noexcept {},
    };

    std::string* order_;
    char name_;

public:
    ticket its{kind, Count};

private:
    alignas(queue_entry)
        std::array<std::byte, Count * sizeof(queue_entry)> behind_; // what entries() expects there
};

/// The memory around them shows whether the order of the sort is strict: if it is not, a sort goes
/// beyond its end.
TEST(arrange_alone, many_equal_claims_become_one) {
    std::array<resource_word, 2> words;
    std::array<claim, 300> memory{};
    memory.fill({.word = &words[1], .weight = 0});
    memory[0].word = &words[0];
    const std::span<claim> claims = std::span{memory}.subspan(100, 100);
    for (claim& each : claims) each.weight = 1;
    EXPECT_EQ(arrange(claims), 1U);
    EXPECT_EQ(claims[0].word, &words[1]);
    EXPECT_EQ(claims[0].weight, 1U);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(memory[i].weight, 0U);
        EXPECT_EQ(memory[200 + i].weight, 0U);
    }
}

TEST(arrange_alone, the_strongest_claim_of_a_resource_is_kept) {
    std::array<resource_word, 2> words;
    for (const std::size_t count : {2U, 3U}) {
        std::array<claim, 3> claims{claim{&words[1], 1}, claim{&words[1], 3}, claim{&words[0], 2}};
        ASSERT_EQ(arrange(std::span{claims}.first(count)), count - 1);
        EXPECT_EQ(claims[count - 2].word, &words[1]);
        EXPECT_EQ(claims[count - 2].weight, 3U);
    }
}

/// Of several claims on one resource the strongest is kept; the order is that of the addresses.
TEST(arrange, keeps_the_strongest_claim_of_each_resource_in_the_order_of_addresses) {
    std::array<limit_word, 2> words{limit_word{9}, limit_word{9}};
    std::array<claim, 2> same{claim{&words[0], 1}, claim{&words[0], 9}};
    ASSERT_EQ(arrange(same), 1U);
    EXPECT_EQ(same[0].weight, 9U);
    std::array<claim, 2> swapped{claim{&words[1], 1}, claim{&words[0], 2}};
    ASSERT_EQ(arrange(swapped), 2U);
    EXPECT_EQ(swapped[0].word, &words[0]);
    EXPECT_EQ(swapped[1].word, &words[1]);
    std::array<claim, 4> several{claim{&words[1], 3}, claim{&words[0], 1}, claim{&words[1], 4},
                                 claim{&words[0], 2}};
    ASSERT_EQ(arrange(several), 2U);
    EXPECT_EQ(several[0].word, &words[0]);
    EXPECT_EQ(several[0].weight, 2U);
    EXPECT_EQ(several[1].word, &words[1]);
    EXPECT_EQ(several[1].weight, 4U);
    EXPECT_EQ(arrange(std::span<claim>{}), 0U);
}

TEST(ticket, a_thread_that_submits_without_pause_delays_no_other) {
    std::array<limit_word, 4> limits{limit_word{9}, limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    reader<4> slow{order, 's', {&limits[0], &limits[1], &limits[2], &limits[3]}};
    reader<1> other{order, 'o', {&limits[1]}};
    reader<1> first{order, '1', {&limits[2]}};
    reader<1> second{order, '2', {&limits[2]}};
    reader<1> third{order, '3', {&limits[2]}};
    lane of_slow;
    lane of_other;
    lane of_busy;
    slow.while_settling = [&] {
        other.its.submit(of_other);
        first.its.submit(of_busy);
        second.its.submit(of_busy);
    };
    second.when_ready = [&] { third.its.submit(of_busy); };
    slow.its.submit(of_slow);
    EXPECT_EQ(order, "so123") << "each of these lanes has its turn";
}

} // namespace
} // namespace weft::inline v0::detail
