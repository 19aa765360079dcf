#include "support/thorough.hpp"

#include <weft/detail/cluster/holder_count.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Two workers, each of which has a task and writes its result before it drops.
struct fixture {
    fixture() {
        holders.add();
        holders.add();
    }
    detail::holder_count holders;
    std::array<sync::plain<int>, 2> results{};

    void finish(std::size_t worker) {
        results[worker].write(1);
        holders.drop();
    }
    void look() {
        if (!holders.none()) return;
        for (const auto& each : results) {
            explorer::check(each.read() == 1, "no holder is left, so all results are there");
        }
    }
};

void two_finish_while_one_looks() {
    fixture all;
    together(named("worker", [&] { all.finish(0); }), named("other worker", [&] { all.finish(1); }),
             named("exchange", [&] { all.look(); }));
    explorer::check(all.holders.none(), "none is left");
}

/// A holder makes a second one before it drops itself; so none is never seen in between.
void one_hands_over_while_one_looks() {
    detail::holder_count holders;
    holders.add();
    sync::plain<int> given{0};
    together(named("worker",
                   [&] {
                       holders.add();
                       given.write(1);
                       holders.drop(); // the block goes on
                   }),
             named("exchange", [&] { explorer::check(!holders.none(), "the block holds"); }));
    holders.drop();
    explorer::check(holders.none() && given.read() == 1, "now none does");
}

void two_hand_over() {
    fixture all;
    const auto hand_over = [&] {
        all.holders.add();
        all.holders.drop();
    };
    together(named("worker", hand_over), named("other worker", hand_over));
    all.finish(0);
    explorer::check(!all.holders.none(), "one is left");
    all.finish(1);
    all.look();
}

TEST(holder_count, none_sees_what_all_holders_did) {
    test::explore_thoroughly("holder_count: two finish", two_finish_while_one_looks);
}

TEST(holder_count, a_handover_is_never_seen_as_none) {
    test::explore_thoroughly("holder_count: a handover", one_hands_over_while_one_looks);
    test::explore_thoroughly("holder_count: two handovers", two_hand_over);
}

TEST(holder_count, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"holder_count: two finish", bounds, two_finish_while_one_looks},
        {"holder_count: a handover", bounds, one_hands_over_while_one_looks},
        {"holder_count: two handovers", bounds, two_hand_over},
    };
    EXPECT_EQ(test::survivors(scenarios, "holder_count.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
