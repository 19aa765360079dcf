#include "model/stage/stage_scene.hpp"
#include "support/thorough.hpp"

#include <weft/detail/stage/push_operation.hpp>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using test::adding_program;
using test::scene;

/// A push comes while the run ends: it is handled by that run or another, and none is forgotten
/// (ST2, ST6).
void a_push_while_a_run_ends() {
    scene all;
    adding_program adding;
    auto& stage = all.add(adding, 2);
    explorer::check(scene::try_push(stage, 1), "there is room");
    together(named("pushes",
                   [&] {
                       explorer::check(scene::try_push(stage, 2), "there is room");
                       all.work();
                   }),
             named("works", [&] { all.work(); }));
    explorer::check(!all.group.has_work() || !stage.is_due(), "nothing due is left unseen");
    explorer::check(adding.sum.read() == 3, "each item is handled once");
    all.end(stage);
}

/// Two workers and a budget of one, or two.
void two_workers(std::uint32_t budget) {
    scene all;
    adding_program adding;
    auto& stage = all.add(adding, 2, budget);
    explorer::check(scene::try_push(stage, 1), "there is room");
    explorer::check(scene::try_push(stage, 2), "there is room");
    together(named("works", [&] { all.work(); }), named("works too", [&] { all.work(); }));
    explorer::check(adding.handled.load(sync::relaxed) == 2, "each item is handled once");
    all.end(stage);
}

/// A run pushes into a full stage, and goes on when there is room, whoever makes it (ST3, PR1).
void a_run_waits_for_room() {
    scene all;
    adding_program last;
    adding_program first;
    auto& sink = all.add(last, 1);
    auto& origin = all.add(first, 3);
    first.next = &sink;
    for (int i = 1; i <= 3; ++i) explorer::check(scene::try_push(origin, i), "there is room");
    together(named("works", [&] { all.work(); }), named("works too", [&] { all.work(); }));
    explorer::check(last.sum.read() == 6, "each item arrives once");
    all.end(origin);
    all.end(sink);
}

/// Room that is given back while a push that owes is on its way (ST3).
void room_and_a_push_that_owes() {
    struct owing : detail::waiting_push {
        sync::atomic<int> admissions{0};
        owing() noexcept {
            admitted = [](detail::waiting_push& self, bool /*ended*/) noexcept {
                static_cast<owing&>(self).admissions.fetch_add(1, sync::relaxed);
                return true;
            };
        }
    };
    scene all;
    adding_program adding;
    auto& stage = all.add(adding, 1);
    owing waits;
    explorer::check(scene::try_push(stage, 1), "there is room");
    bool had_room = false;
    together(named("owes",
                   [&] {
                       auto* made = sync::make<test::number_node>();
                       made->number = 2;
                       had_room = stage.push_or_owe(*made, waits);
                       all.work();
                   }),
             named("works", [&] { all.work(); }));
    explorer::check(waits.admissions.load(sync::relaxed) == (had_room ? 0 : 1),
                    "it is admitted once");
    explorer::check(adding.sum.read() == 3, "each item is handled once");
    all.end(stage);
}

/// Three pushes into a queue of one, each of which drops the oldest.
void the_oldest_are_dropped() {
    scene all;
    adding_program adding;
    auto& stage = all.add(adding, 1);
    const auto push = [&](int number) {
        auto* made = sync::make<test::number_node>();
        made->number = number;
        if (!stage.try_push(*made)) stage.push_over(*made);
    };
    together(named("one", [&] { push(1); }), named("other", [&] {
                 push(2);
                 all.work();
             }));
    all.work();
    const detail::stage_counts seen = stage.counts();
    explorer::check(seen.entered == 2 && seen.done + seen.dropped == 2, "each item ends once");
    explorer::check(seen.done >= 1, "the last is handled");
    explorer::check(stage.has_room(), "all room was given back");
    all.end(stage);
}

/// Counts calls, and sees what its owner has written.
struct counting_waiter : detail::completion_node {
    sync::plain<int> content{0};
    sync::atomic<int> calls{0};
    counting_waiter() noexcept {
        notify = [](detail::completion_node& self) noexcept {
            auto& waiter = static_cast<counting_waiter&>(self);
            explorer::check(waiter.content.read() == 1, "what the waiter wrote is seen");
            waiter.calls.fetch_add(1, sync::relaxed);
        };
    }
};

/// A push is cancelled while it begins to wait (PW1).
void cancelled_as_it_begins() {
    counting_waiter waiter;
    auto* push = sync::make<detail::held_push>();
    bool began = false;
    together(named("waits",
                   [&] {
                       waiter.content.write(1);
                       began = push->try_begin(waiter);
                   }),
             named("cancels", [&] { push->cancel(); }));
    explorer::check(push->is_cancelled(), "it is cancelled");
    explorer::check(waiter.calls.load(sync::relaxed) == (began ? 1 : 0), "only a waiter is told");
    if (began) explorer::check(!push->admitted(*push, false), "it is not admitted any more");
    push->drop();
}

/// A push is cancelled while it is admitted, and its waiter goes away (PW1, PW2).
void cancelled_or_admitted() {
    counting_waiter waiter;
    waiter.content.write(1);
    auto* push = sync::make<detail::held_push>();
    explorer::check(push->try_begin(waiter), "it waits");
    bool wanted = false;
    bool cancelled = false;
    together(named("admits", [&] { wanted = push->admitted(*push, false); }), named("cancels", [&] {
                 push->cancel();
                 cancelled = push->is_cancelled();
                 push->drop();
             }));
    explorer::check(waiter.calls.load(sync::relaxed) == 1, "the waiter is notified once");
    explorer::check(wanted != cancelled, "it ended in one way");
}

/// Two runs whose pushes close a circle at the same time: one of them at least is told, and nothing
/// waits for ever (circle_search).
void a_circle_is_closed() {
    scene all;
    adding_program left;
    adding_program right;
    auto& one = all.add(left, 1);
    auto& other = all.add(right, 1);
    left.next = &other;
    right.next = &one;
    left.twice = right.twice = true;
    // Each handler pushes two items into the other stage, which has room for one.
    explorer::check(scene::try_push(one, 1) && scene::try_push(other, 1), "there is room");
    together(named("one", [&] { all.work_once(); }), named("other", [&] { all.work_once(); }));
    one.close(false);
    other.close(false); // what is queued is dropped, so that no more is pushed
    all.work();
    explorer::check(one.is_idle() && other.is_idle(), "nothing waits for ever");
    all.end(one);
    all.end(other);
}

/// Whoever sees the group idle sees all that its items have done (SG3).
void idle_after_two_stages() {
    scene all;
    adding_program last;
    adding_program first;
    auto& sink = all.add(last, 1);
    auto& origin = all.add(first, 1);
    first.next = &sink;
    explorer::check(scene::try_push(origin, 5), "there is room");
    together(named("works", [&] { all.work(); }), named("waits", [&] {
                 if (!all.group.is_idle()) return;
                 explorer::check(last.sum.read() == 5, "all has ended");
             }));
    all.end(origin);
    all.end(sink);
}

/// Items that are handed over one by one, and one that is dropped.
void handed_over_or_dropped() {
    scene all;
    adding_program adding;
    auto& stage = all.add(adding, 1, 1, true);
    explorer::check(scene::try_push(stage, 1), "there is room");
    together(named("works", [&] { all.work(); }),
             named("drops", [&] { stage.drop_new(*sync::make<test::number_node>()); }));
    explorer::check(stage.counts().dropped == 1 && adding.sum.read() == 1, "each ends once");
    all.end(stage);
}

constexpr auto with_one = [] { two_workers(1); };
constexpr auto with_two = [] { two_workers(2); };

TEST(stage_core, no_item_is_forgotten_while_a_run_ends) {
    test::explore_workers("stage: push and end", a_push_while_a_run_ends, 1);
}

TEST(stage_core, keeps_its_budget) {
    test::explore_workers("stage: budget of one", with_one, 1);
    test::explore_workers("stage: budget of two", with_two, 1);
}

TEST(stage_core, a_run_that_waits_for_room_goes_on) {
    test::explore_within({explorer::options::sequential(1), explorer::options::weak(0, 1),
                          explorer::options::random(test::scaled(1'000, 100'000))},
                         "stage: a run waits", a_run_waits_for_room);
}

TEST(stage_core, a_push_that_owes_is_admitted) {
    test::explore_workers("stage: a push owes", room_and_a_push_that_owes, 1);
}

TEST(stage_core, drops_the_oldest) {
    test::explore_workers("stage: the oldest", the_oldest_are_dropped, 1);
}

TEST(stage_core, a_push_is_cancelled_or_admitted) {
    test::explore_thoroughly("stage: cancelled", cancelled_or_admitted);
    test::explore_thoroughly("stage: cancelled early", cancelled_as_it_begins);
}

TEST(stage_core, items_are_handed_over_or_dropped) {
    test::explore_workers("stage: handed over", handed_over_or_dropped, 1);
}

TEST(stage_core, a_circle_is_seen_by_one) {
    test::explore_within({explorer::options::sequential(1), explorer::options::weak(0, 1),
                          explorer::options::random(test::scaled(300, 100'000))},
                         "stage: a circle", a_circle_is_closed);
}

TEST(stage_core, a_group_is_idle_when_all_has_ended) {
    test::explore_workers("stage: idle", idle_after_two_stages, 1);
}

/// Files of which few operations can be shown to be needed by so few steps: docs/orderings.md
/// argues the others. What is left here is what that page calls argued.
TEST(stage_core, mutants_that_are_argued_change_no_result_of_few_steps) {
    for (const char* file :
         {"stage_core.cpp", "stage_push.cpp", "stage_section.cpp", "parked_run.hpp",
          "stage_group_core.hpp", "stage_group_core.cpp", "circle_search.cpp"}) {
        const auto left = test::survivors(
            {{"stage: budget of one", explorer::options::random(50), with_one},
             {"stage: handed over", explorer::options::weak(0, 0), handed_over_or_dropped},
             {"stage: a circle", explorer::options::weak(0, 0), a_circle_is_closed}},
            file);
        EXPECT_FALSE(left.empty()) << file; // then its rows say killed
    }
}

TEST(stage_core, every_mutant_of_a_held_push_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    EXPECT_EQ(test::survivors({{"stage: cancelled", bounds, cancelled_or_admitted},
                               {"stage: cancelled early", bounds, cancelled_as_it_begins}},
                              "push_operation.cpp"),
              std::vector<std::string>{});
}

TEST(stage_core, every_mutant_of_its_ends_is_caught) {
    const explorer::options bounds = explorer::options::weak(1, 1);
    auto left =
        test::survivors({{"stage: budget of one", explorer::options::random(3'000), with_one},
                         {"stage: idle", bounds, idle_after_two_stages},
                         {"stage: a circle", explorer::options::weak(0, 0), a_circle_is_closed},
                         {"stage: budget of two", explorer::options::random(2'000), with_two}},
                        "stage_core.hpp");
    std::erase(left, "fetch_sub: split"); // of leave_budget(): in few schedules
    EXPECT_EQ(left, std::vector<std::string>{"load: drop_acquire"}); // of first_record(): argued
}

} // namespace
} // namespace weft
