// A real group on a real pool, under the explorer.
#include "model/contract/group_scenarios.hpp"
#include "support/scale.hpp"
#include "support/thorough.hpp"

#include <weft/contract.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::check;
using explorer::named;
using explorer::together;

/// Random schedules, and exhaustive with one preemption on sequential memory.
void explore_group(const std::string& name, const std::function<void()>& body) {
    using explorer::options;
    test::explore_within({options::sequential(1), options::random(test::scaled(2'000, 500'000))},
                         name, body);
}

/// Scheduled, waited for, released.
void signalled_and_released(std::size_t workers) {
    sync::plain<int> runs{0};
    sync::plain<int> releases{0};
    pool made{workers};
    {
        contract_group group{made};
        const contract each = group.create([&runs] { ++runs.modify(); },
                                           {.on_release = [&releases] { ++releases.modify(); }});
        each.schedule();
        group.wait();
        check(runs.read() == 1, "wait returns when it has run");
        each.schedule();
        each.release();
    }
    check(runs.read() == 2, "what was due is run before the release");
    check(releases.read() == 1, "it is released once");
}

TEST(contract_group_on_pool, a_contract_is_signalled_and_released) {
    explore_group("group on a pool of one", [] { signalled_and_released(1); });
    explore_group("group on a pool of two", [] { signalled_and_released(2); });
}

/// Two threads schedule what the pool's worker runs.
void two_schedule() {
    sync::plain<int> seen{0};
    sync::atomic<int> mail{0};
    pool made{1};
    contract_group group{made};
    const contract each = group.create([&] { seen.write(mail.load(sync::relaxed)); });
    const auto send = [&] {
        mail.fetch_add(1, sync::relaxed);
        check(each.schedule(), "it is accepted");
    };
    together(named("sender", send), named("other sender", send));
    group.wait();
    check(seen.read() == 2, "the last run has seen both");
}

TEST(contract_group_on_pool, a_run_sees_what_two_threads_have_sent) {
    explore_group("group on a pool: two schedule", two_schedule);
}

using call_of_handle = void(const contract&);
void schedule(const contract& each) { static_cast<void>(each.schedule()); }
void release(const contract& each) { static_cast<void>(each.release()); }
void make_high(const contract& each) { each.set_priority(priority::high); }

/// A handle outlives its group and its pool, and calls while they end.
template <call_of_handle Call>
void meets_the_end() {
    std::optional<pool> made{std::in_place, std::size_t{1}};
    std::optional<contract_group> group{std::in_place, *made};
    const contract each = group->create([] {});
    together(named("handle", [&] { Call(each); }), named("owner", [&] {
                 group.reset();
                 made.reset();
             }));
    check(!each.schedule(), "nothing is promised any more");
}
/// The worker is busy until the group has ended: nothing but the group orders the call before the
/// end of the pool.
template <call_of_handle Call>
void meets_the_end_of_a_busy_pool() {
    sync::parker begun;
    sync::parker over;
    std::optional<pool> made{std::in_place, std::size_t{1}};
    std::optional<contract_group> group{std::in_place, *made};
    const contract each = group->create([] {});
    made->post([&] {
        begun.unpark();
        over.park();
    });
    begun.park();
    together(named("handle", [&] { Call(each); }), named("owner", [&] {
                 group.reset();
                 over.unpark();
                 made.reset();
             }));
    check(!each.schedule(), "nothing is promised any more");
}

TEST(contract_group_on_pool, a_handle_meets_the_end_of_the_pool) {
    explore_group("group on a pool: schedule and end", meets_the_end<schedule>);
    explore_group("group on a pool: release and end", meets_the_end<release>);
    explore_group("group on a pool: priority and end", meets_the_end<make_high>);
    explore_group("group on a busy pool: schedule and end", meets_the_end_of_a_busy_pool<schedule>);
    explore_group("group on a busy pool: release and end", meets_the_end_of_a_busy_pool<release>);
    explore_group("group on a busy pool: priority and end",
                  meets_the_end_of_a_busy_pool<make_high>);
}

TEST(pool_link, every_mutant_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"group on a busy pool: schedule and end", explorer::options::weak(1, 2),
         meets_the_end_of_a_busy_pool<schedule>},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/pool_link.hpp"), std::vector<std::string>{});
}

/// Two contracts are released together, and one release waits for the other; the pool's worker is
/// busy. A driver is woken to help, but its time is over: another one is woken instead.
void the_time_of_a_driver_is_over() {
    sync::parker begun;
    sync::parker over;
    sync::atomic<bool> released{false};
    pool made{1};
    contract_group group{made};
    const contract first = group.create([] {}, {.on_release = [&] {
                                            while (!released.load(sync::relaxed)) sync::yield();
                                        }});
    const contract second =
        group.create([] {}, {.on_release = [&] { released.store(true, sync::relaxed); }});
    made.post([&] {
        begun.unpark();
        over.park();
    });
    begun.park();
    together(named("timed driver",
                   [&] { group.execute_next_or_wait(std::chrono::nanoseconds::zero()); }),
             named("driver",
                   [&] {
                       while (group.execute_next_or_wait()) {
                       }
                   }),
             named("stopper", [&] { group.stop(); }));
    over.unpark();
}

TEST(contract_group_on_pool, a_driver_whose_time_is_over_wakes_another) {
    explorer::options woken = explorer::options::sequential(1);
    woken.timeouts = 0; // its time is over when it is woken
    test::explore_within({woken}, "group on a pool: time is over", the_time_of_a_driver_is_over);
}

TEST(contract_core, every_mutant_is_caught) {
    using namespace test::group;
    const explorer::options weak = explorer::options::weak(1, 1);
    const std::vector<explorer::scenario> scenarios = {
        {"group: stopped", weak, the_stopper_sees_what_the_releases_did},
        {"group: pool ended", explorer::options::weak(0, 1), a_waiter_sees_what_an_ended_pool_did},
        {"group: two are created", weak, two_are_created},
        {"group: two are released", weak, two_are_released},
    };
    // execute_until_empty(): the fence in event_count::notify_all(), which stop() calls next,
    // acquires too.
    EXPECT_EQ(test::survivors(scenarios, "contract/contract_core.cpp"),
              std::vector<std::string>{"load: drop_acquire"});
}

TEST(contract_execution, every_mutant_is_caught) {
    using namespace test::group;
    const explorer::options weak = explorer::options::weak(1, 1);
    const std::vector<explorer::scenario> scenarios = {
        {"group: stopped", weak, the_stopper_sees_what_the_releases_did},
        {"group: two are released", weak, two_are_released},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/block_runner.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
