#include "pool/helping.hpp"

#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace weft::inline v0::detail {
namespace {

/// Done when two children of its runner have run. Its runner becomes known when the waiter has
/// looked for it in vain as often as it does before it sleeps.
struct late_object {
    worker* known;
    const int* ran;
    unsigned looks = 0;
    int helps = 0;
    int sleeps = 0;

    bool done() const { return *ran == 2; }
    bool still_runs() const noexcept { return true; }
    worker* runner() noexcept { return looks++ < constants::help_rounds ? nullptr : known; }
    std::uint32_t base() const noexcept { return 0; }
    static bool ended() noexcept { return false; }
    static bool has_task(const worker& /*runner*/) noexcept { return false; }
    static task* take_task(worker& /*runner*/) noexcept { return nullptr; }
    bool announce_help() noexcept { return ++helps != 0; }
    bool announce_sleep(bool /*runner_known*/) noexcept {
        ++sleeps;
        return false;
    }
};

TEST(helping, goes_on_after_it_has_helped_at_the_last_moment) {
    test::unstarted_pool workers{2};
    int ran = 0;
    auto job = [&ran] { ++ran; };
    worker& runner = workers[1];
    for (int i = 0; i < 2; ++i) {
        scoped_child* child = runner.scoped.owner_next();
        scoped_job<decltype(job)>::describe(*child, job);
        runner.scoped.owner_push(child);
    }
    runner.publish();
    late_object object{&runner, &ran};
    workers.as_worker(0, [&](worker& waiter) { helping{waiter, object}.wait(); })();
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(object.sleeps, 0);
    EXPECT_EQ(object.helps, 1) << "announced once";
    EXPECT_EQ(workers[0].counts.helps.read(), 2U);
}

} // namespace
} // namespace weft::inline v0::detail
