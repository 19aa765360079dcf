// A held task continues when its beginning has ended and its completion was completed.
#include "support/thorough.hpp"

#include <weft/detail/resource/arrival_pair.hpp>
#include <weft/detail/sync/plain.hpp>

#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Each of two threads brings something; the last one has both.
struct held {
    sync::plain<int> begun{0};
    sync::plain<int> completed{0};
    sync::plain<int> continued{0};
    detail::arrival_pair arrivals;

    void arrive(sync::plain<int>& brought) {
        brought.write(1);
        if (!arrivals.arrive()) return;
        explorer::check(begun.read() == 1 && completed.read() == 1, "both have arrived");
        ++continued.modify();
    }
};

void begun_and_completed() {
    held task;
    together(named("beginning", [&] { task.arrive(task.begun); }),
             named("callback", [&] { task.arrive(task.completed); }));
    explorer::check(task.continued.read() == 1, "it has continued once");
}

TEST(resource_holding, the_last_of_two_sees_what_came_before_both) {
    test::explore_thoroughly("holding: begun and completed", begun_and_completed);
}

TEST(resource_holding, every_mutant_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"holding: begun and completed", explorer::options::weak(2, 2), begun_and_completed}};
    EXPECT_EQ(test::survivors(scenarios, "resource/arrival_pair.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
