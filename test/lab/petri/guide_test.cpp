// What docs/lab.md shows.
#include <weft/lab/analysis.hpp>
#include <weft/lab/simulation.hpp>

#include <gtest/gtest.h>

namespace {

using namespace weft::petri;

// [net]
net two_readers_one_writer() {
    net n;
    const auto readers = n.add_place<int>("readers", {1, 2});
    const auto reading = n.add_place<int>("reading");
    const auto writer = n.add_place("writer", 1);
    const auto writing = n.add_place("writing");
    const auto same = [](int reader) { return reader; };

    n.add_transition("begin reading").take(readers).inhibit(writing).put(reading, same);
    n.add_transition("end reading").take(reading).put(readers, same);
    n.add_transition("begin writing").take(writer).inhibit(reading).inhibit(writing).put(writing);
    n.add_transition("end writing").take(writing).put(writer);
    return n;
}
// [/net]

TEST(guide, the_first_net_runs_and_is_explored) {
    net n = two_readers_one_writer();

    // [run]
    simulation run{n, 42};
    run.run(1'000);
    const trace way = run.taken();
    while (run.undo()) {
    }
    run.fire("begin writing"); // an error if it is not enabled
    run.undo();
    run.replay(way);
    // [/run]
    EXPECT_EQ(run.steps(), 1'000U);

    // [space]
    const place<int> reading{n.place_named("reading")};
    const place<token> writing{n.place_named("writing")};
    space_options options;
    options.properties.push_back(
        {"no reader while there is a writer", [=](const marking_view& now) {
             return now.count(writing) == 0 || now.count(reading) == 0;
         }});
    const state_space all = explore(n, options);
    const report result =
        analyse(all); // bounds, components, home and dead markings, live transitions
    // [/space]
    EXPECT_EQ(result.markings, 5U);
    EXPECT_TRUE(result.dead_markings.empty());
    EXPECT_EQ(result.live_transitions.size(), 4U);
}

} // namespace
