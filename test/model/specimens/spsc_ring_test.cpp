#include "spsc_ring.hpp"

#include "support/thorough.hpp"

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// The producer tries to push 1, 2, ...; the consumer gets a beginning of what was pushed, in
/// order.
template <std::uint32_t Capacity>
void producer_and_consumer(int pushes, int pops) {
    specimen::spsc_ring<Capacity> ring;
    int pushed = 0;
    int popped = 0;
    const auto pop = [&] {
        const auto item = ring.try_pop();
        if (item) explorer::check(*item == ++popped, "items come in the order of their pushes");
        return item.has_value();
    };
    together(named("producer",
                   [&] {
                       for (int i = 0; i < pushes; ++i) pushed += ring.try_push(pushed + 1) ? 1 : 0;
                   }),
             named("consumer", [&] {
                 for (int i = 0; i < pops; ++i) pop();
             }));
    while (pop()) {
    }
    explorer::check(popped == pushed, "nothing is lost");
    explorer::check(pushed >= std::min(pushes, static_cast<int>(Capacity)), "room is used");
}

void roomy() { producer_and_consumer<4>(2, 2); }
void wrapping() { producer_and_consumer<1>(3, 3); }
void filling() { producer_and_consumer<2>(4, 3); }

TEST(spsc_ring, hands_over_in_order) { test::explore_thoroughly("ring: roomy", roomy); }

TEST(spsc_ring, fills_a_slot_again_only_after_it_was_read) {
    test::explore_thoroughly("ring: one slot", wrapping);
}

TEST(spsc_ring, wraps_around) { test::explore_thoroughly("ring: two slots", filling); }

TEST(spsc_ring, is_wait_free) {
    const auto report = explorer::explore("ring: a thread is stopped",
                                          explorer::options::weak(2, 2).freezing(), wrapping);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(spsc_ring, every_mutant_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"ring: one slot", explorer::options::weak(2, 2), wrapping},
        {"ring: two slots", explorer::options::weak(2, 2), filling},
    };
    EXPECT_EQ(test::survivors(scenarios, "spsc_ring.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
