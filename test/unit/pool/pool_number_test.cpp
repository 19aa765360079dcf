#include <weft/detail/pool/pool_number.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <set>

namespace weft {
namespace {

TEST(pool_number, is_there_until_it_is_forgotten) {
    std::optional<detail::pool_number> one{std::in_place};
    const detail::pool_identity known = one->value();
    EXPECT_TRUE(known.use_if_alive([] { return true; }));
    EXPECT_FALSE(known.use_if_alive([] { return false; })) << "what the use said";
    one->forget();
    EXPECT_FALSE(known.use_if_alive([] { return true; }));
    one.reset(); // again: nothing happens
    EXPECT_FALSE(known.use_if_alive([] { return true; }));
}

TEST(pool_number, is_not_taken_for_that_of_the_next_pool) {
    auto first = std::make_unique<detail::pool_number>();
    const detail::pool_identity known = first->value();
    first.reset();
    const detail::pool_number second;
    EXPECT_EQ(second.value().state, known.state) << "it is used again";
    EXPECT_NE(second.value(), known);
    EXPECT_FALSE(known.use_if_alive([] { return true; }));
    EXPECT_TRUE(second.value().use_if_alive([] { return true; }));
}

TEST(pool_number, may_be_forgotten_while_the_pool_is_used) {
    const detail::pool_number one;
    auto known = std::make_unique<detail::pool_identity>(one.value());
    EXPECT_TRUE(known->use_if_alive([&] {
        known.reset();
        return true;
    }));
}

TEST(pool_number, differs_between_pools_that_exist_at_the_same_time) {
    std::deque<detail::pool_number> pools(40);
    std::set<detail::presence*> places;
    for (const detail::pool_number& each : pools) places.insert(each.value().state);
    EXPECT_EQ(places.size(), pools.size());
}

} // namespace
} // namespace weft
