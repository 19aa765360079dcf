#include "model/fork_join/adder.hpp"
#include "support/thorough.hpp"

#include <weft/detail/fork_join/predecessors.hpp>

namespace weft {
namespace {

using detail::completion_word;
using detail::predecessors;
using explorer::named;
using explorer::together;
using test::adder;
using test::closed_pool;

/// Two tasks that are claimed, and a successor of both; `left` and `right` are completed by other
/// threads.
struct family {
    closed_pool pool;
    adder* left = sync::make<adder>(pool, completion_word::made_for_queue{});
    adder* right = sync::make<adder>(pool, completion_word::made_for_queue{});
    adder* successor = sync::make<adder>(pool, completion_word::made_dormant{});
    predecessors* before;

    explicit family(predecessors::mode mode) : before{&predecessors::make(2, mode)} {
        for (adder* each : {left, right}) {
            explorer::check(each->word.claim_from_queue() == completion_word::from_queue::run,
                            "claimed");
        }
    }
    void watch() const {
        before->watch(0, *left);
        before->watch(1, *right);
        before->start(*successor);
    }
    void complete_left() const {
        successor->first.write(1);
        left->complete();
    }
    void complete_right() const {
        successor->second.write(2);
        right->complete();
    }
    void end() const {
        before->release(); // the successor's hold
        for (adder* each : {left, right, successor}) each->drop_handle();
    }
};

void all_of_two() {
    const family tasks{predecessors::mode::all};
    tasks.watch();
    together(named("left", [&] { tasks.complete_left(); }),
             named("right", [&] { tasks.complete_right(); }));
    explorer::check(tasks.successor->ready(), "it runs when all have completed");
    explorer::check(tasks.successor->sum.read() == 3, "it sees what came before each completion");
    tasks.end();
}

void all_while_they_complete() {
    const family tasks{predecessors::mode::all};
    together(named("left", [&] { tasks.complete_left(); }),
             named("right", [&] { tasks.complete_right(); }),
             named("maker", [&] { tasks.watch(); }));
    explorer::check(tasks.successor->ready(), "it runs when all have completed");
    explorer::check(tasks.successor->sum.read() == 3, "it sees what came before each completion");
    tasks.end();
}

/// The successor lets go while a predecessor completes: the last holder frees what they share.
void any_of_two() {
    const family tasks{predecessors::mode::any};
    tasks.watch();
    sync::plain<int> runs{0};
    const auto finish = [&](std::size_t index, adder& done) {
        done.complete();
        // Only the thread whose task was first has run the successor, so it alone looks.
        if (tasks.before->first() == index) {
            ++runs.modify();
            explorer::check(tasks.successor->ready(), "it runs when the first has completed");
        }
    };
    // Held by the test too while it looks.
    together(named("left", [&] { finish(0, *tasks.left); }),
             named("right", [&] { finish(1, *tasks.right); }));
    explorer::check(runs.read() == 1, "one is the first");
    tasks.end();
}

void any_is_freed_by_the_last() {
    const family tasks{predecessors::mode::any};
    together(named("left", [&] { tasks.left->complete(); }),
             named("right", [&] { tasks.right->complete(); }), named("maker", [&] {
                 tasks.watch();
                 tasks.before->release();
             }));
    explorer::check(tasks.successor->ready(), "it runs when the first has completed");
    for (adder* each : {tasks.left, tasks.right, tasks.successor}) each->drop_handle();
}

TEST(predecessors, the_successor_of_all_sees_what_came_before_each) {
    test::explore_thoroughly("predecessors: all of two", all_of_two);
}

TEST(predecessors, they_may_complete_while_they_are_being_watched) {
    test::explore_thoroughly("predecessors: all while they complete", all_while_they_complete);
}

TEST(predecessors, the_successor_of_any_runs_once) {
    test::explore_thoroughly("predecessors: any of two", any_of_two);
}

TEST(predecessors, the_last_holder_frees_them) {
    test::explore_thoroughly("predecessors: any is freed by the last", any_is_freed_by_the_last);
}

TEST(predecessors, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"predecessors: all of two", bounds, all_of_two},
        {"predecessors: any is freed by the last", bounds, any_is_freed_by_the_last},
    };
    EXPECT_EQ(test::survivors(scenarios, "predecessors.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
