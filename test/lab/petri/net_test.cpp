#include <weft/lab/net.hpp>

#include "petri/plain_rules.hpp"
#include <weft/detail/petri/random.hpp>
#include <weft/lab/firing.hpp>
#include <weft/lab/step.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace weft::petri {
namespace {

struct parcel {
    int weight = 0;
    std::string town;

    [[nodiscard]] auto fields() const { return std::tie(weight, town); }
    friend bool operator==(const parcel&, const parcel&) = default;
};

TEST(net, a_place_holds_tokens_of_any_regular_type) {
    net n;
    const auto parcels = n.add_place<parcel>("parcels", {{3, "Oslo"}, {1, "Rome"}, {3, "Oslo"}});
    const auto numbers = n.add_place<int>("numbers", {7});
    const marking_view view{n, n.initial()};
    EXPECT_EQ(view.count(parcels), 3U);
    EXPECT_EQ(view.tokens(parcels).size(), 3U);
    EXPECT_EQ(view.one(numbers), 7);
    EXPECT_EQ(n.marking_text(n.initial()), "parcels: 2`(3,Oslo) + (1,Rome); numbers: 7");
}

TEST(net, a_transition_fires_in_every_binding_that_its_guard_allows) {
    net n;
    const auto parcels = n.add_place<parcel>("parcels", {{3, "Oslo"}, {1, "Rome"}, {5, "Rome"}});
    const auto towns = n.add_place<std::string>("towns", {"Oslo", "Rome"});
    const auto sent = n.add_place<int>("sent", std::vector<int>{});
    n.add_transition("send")
        .take(parcels)
        .read(towns, [](const parcel& item) { return item.town; })
        .when([](const parcel& item) { return item.weight < 5; })
        .put(sent, [](const parcel& item) { return item.weight * 10; });
    firing firing{n};
    const auto enabled = firing.enabled(n.initial());
    ASSERT_EQ(enabled.size(), 2U);
    const marking after = firing.fire(n.initial(), enabled[0]);
    const marking_view view{n, after};
    EXPECT_EQ(view.count(parcels), 2U);
    EXPECT_EQ(view.count(towns), 2U);
    EXPECT_EQ(view.one(sent), 30);
}

TEST(net, two_variables_of_one_place_are_two_tokens) {
    net n;
    const auto numbers = n.add_place<int>("numbers", {1, 2, 2});
    n.add_transition("add").take(numbers).take(numbers).put(numbers,
                                                            [](int a, int b) { return a + b; });
    firing firing{n};
    EXPECT_EQ(firing.enabled(n.initial()).size(), 3U); // (1,2), (2,1), (2,2)
}

TEST(net, a_put_may_give_none_one_or_several_tokens) {
    net n;
    const auto source = n.add_place<int>("from", {4});
    const auto all = n.add_place<int>("all", std::vector<int>{});
    const auto maybe = n.add_place<int>("maybe", std::vector<int>{});
    n.add_transition("split")
        .take(source)
        .put(all,
             [](int value) { return std::vector<int>(static_cast<std::size_t>(value), value); })
        .put(maybe, [](int value) { return value > 4 ? std::optional{value} : std::nullopt; });
    firing firing{n};
    const marking after = firing.fire(n.initial(), firing.enabled(n.initial()).front());
    const marking_view view{n, after};
    EXPECT_EQ(view.count(all), 4U);
    EXPECT_EQ(view.count(maybe), 0U);
}

TEST(net, inhibitors_stop_a_transition) {
    net n;
    const auto free = n.add_place("free", 1);
    const auto numbers = n.add_place<int>("numbers", {1, 2});
    n.add_transition("plain").inhibit(free);
    n.add_transition("fewer_than_two").inhibit(free, 2);
    n.add_transition("any").inhibit(numbers);
    n.add_transition("three").inhibit(numbers, [](int each) { return each == 3; });
    n.add_transition("two").inhibit(numbers, [](int each) { return each == 2; });
    firing firing{n};
    EXPECT_FALSE(firing.is_enabled(n.initial(), 0));
    EXPECT_TRUE(firing.is_enabled(n.initial(), 1));
    EXPECT_FALSE(firing.is_enabled(n.initial(), 2));
    EXPECT_TRUE(firing.is_enabled(n.initial(), 3));
    EXPECT_FALSE(firing.is_enabled(n.initial(), 4));
    EXPECT_TRUE(n.has_inhibitors());
}

TEST(net, pages_share_ports_and_fusion_places) {
    net n;
    const page main = n.main_page();
    const auto socket = main.add_place<int>("socket", {1});
    for (const char* name : {"left", "right"}) {
        const page sub = main.substitute(name);
        const auto port = sub.add_port("in", socket);
        const auto shared = sub.add_fusion<int>("shared", {10});
        const auto own = sub.add_place<int>("own", {5});
        sub.add_transition("move").take(port).take(own).put(shared,
                                                            [](int a, int b) { return a + b; });
    }
    EXPECT_EQ(n.places().size(), 4U); // socket, shared, and an own one on each page
    EXPECT_EQ(n.transitions()[1].name, "right.move");
    EXPECT_EQ(n.pages().size(), 3U);
    firing firing{n};
    const marking after = firing.fire(n.initial(), {n.transition_named("left.move"), {0, 2}});
    EXPECT_EQ(n.content_text(n.place_named("shared"), after[n.place_named("shared")]), "10 + 6");
}

TEST(net, a_fusion_set_may_hold_plain_tokens) {
    net n;
    const auto permits = n.main_page().add_fusion("permits", 3);
    const page sub = n.main_page().substitute("sub");
    const auto same = sub.add_fusion("permits");
    EXPECT_EQ(same, permits);
    sub.add_transition("take").take(same);
    const marking after = firing{n}.fire(n.initial(), {0, {}});
    EXPECT_EQ((marking_view{n, after}.count(permits)), 2U);
    EXPECT_TRUE(n.is_plain());
    EXPECT_THROW(n.main_page().add_fusion<int>("permits"), error);
}

/// Whatever the transition itself takes, and in whatever order its arcs are added.
TEST(net, an_inhibitor_looks_at_what_was_there_before) {
    net n;
    const auto one = n.add_place("one", 1);
    const auto two = n.add_place<int>("two", {1, 2});
    n.add_transition("plain").take(one).inhibit(one);
    n.add_transition("plain, at most one").take(one).inhibit(one, 2);
    n.add_transition("colours").take(two).inhibit(two, 2);
    n.add_transition("tested").take(two).inhibit(two, [](int each, int) { return each == 1; });
    firing firing{n};
    const std::vector<bool> expected{false, true, false, false};
    for (transition_index each = 0; each != expected.size(); ++each) {
        EXPECT_EQ(firing.is_enabled(n.initial(), each), expected[each]) << each;
    }
    for (const transition_index each : {0U, 1U}) {
        EXPECT_EQ(rule_of(n.transitions()[each]).is_enabled(n.initial()), expected[each]) << each;
    }
    random_source random{1};
    EXPECT_EQ(random_step(n, n.initial(), step_rule::strict, random).size(), 1U);
}

TEST(net, wrong_nets_and_wrong_firings_are_errors_that_name_them) {
    net n;
    const auto start = n.add_place("here", 0);
    EXPECT_THROW(n.add_place("here"), error);
    n.add_transition("go").take(start);
    EXPECT_THROW(static_cast<void>(n.add_transition("go")), error);
    EXPECT_THROW(static_cast<void>(n.place_named("there")), error);
    static_cast<void>(n.main_page().add_fusion<int>("set"));
    EXPECT_THROW(n.main_page().add_fusion<std::string>("set"), error);
    try {
        static_cast<void>(firing{n}.fire(n.initial(), {0, {}}));
        FAIL();
    } catch (const error& wrong) {
        EXPECT_EQ(wrong.code(), fault::not_enabled);
        EXPECT_STREQ(wrong.what(), "'go' is not enabled");
    }
}

} // namespace
} // namespace weft::petri
