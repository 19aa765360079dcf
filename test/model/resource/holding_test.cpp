// A task that goes on when its beginning has ended and its completion was completed.
#include "support/thorough.hpp"

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// The few lines of `holding_task`, without the pool and the ticket.
struct held {
    sync::plain<int> begun{0};
    sync::plain<int> completed{0};
    sync::plain<int> went_on{0};
    sync::atomic<int> parts{2};

    void arrive() {
        if (parts.fetch_sub(1, sync::acq_rel) == 1) {
            explorer::check(begun.read() == 1 && completed.read() == 1, "both have come");
            ++went_on.modify();
        }
    }
};

void begun_and_completed() {
    held one;
    together(named("beginning",
                   [&] {
                       one.begun.write(1);
                       one.arrive();
                   }),
             named("caller", [&] {
                 one.completed.write(1);
                 one.arrive();
             }));
    explorer::check(one.went_on.read() == 1, "it has gone on once");
}

TEST(resource_holding, the_last_of_two_has_what_came_before_both) {
    test::explore_thoroughly("holding: begun and completed", begun_and_completed);
}

TEST(resource_holding, every_mutant_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"holding: begun and completed", explorer::options::weak(2, 2), begun_and_completed}};
    EXPECT_EQ(test::survivors(scenarios, "holding_test.cpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
