#include "sequence/lane.hpp"

#include <weft/detail/sequence/slot.hpp>
#include <weft/detail/sequence/ticket.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace weft::inline v0::detail {
namespace {

/// A ticket with its slots, on gates that it reads. `while_settling` is called when its first slot has settled
/// and the others have not, as if its thread were stopped there.
template <std::size_t Count>
class reader {
public:
    reader(std::string& order, char name, std::array<gate_word*, Count> gates)
        : order_{&order}, name_{name} {
        std::array<claim, Count> claims{};
        for (std::size_t i = 0; i < Count; ++i) claims[i] = {gates[i], 1};
        EXPECT_EQ(arrange(claims), Count);
        its.subject = this;
        its.make_slots(claims);
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
    alignas(slot) std::array<std::byte, Count * sizeof(slot)> behind_; // what slots() expects there
};

TEST(ticket, who_submits_without_pause_holds_up_nobody_else) {
    std::array<gate_word, 4> gates{gate_word{9}, gate_word{9}, gate_word{9}, gate_word{9}};
    std::string order;
    reader<4> slow{order, 's', {&gates[0], &gates[1], &gates[2], &gates[3]}};
    reader<1> other{order, 'o', {&gates[1]}};
    reader<1> first{order, '1', {&gates[2]}};
    reader<1> second{order, '2', {&gates[2]}};
    reader<1> third{order, '3', {&gates[2]}};
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
