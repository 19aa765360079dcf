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
