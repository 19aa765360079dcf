#include <weft/detail/resource/holding_task.hpp>

#include "resource/lane.hpp"
#include "support/unstarted_pool.hpp"
#include "unit/resource/reader.hpp"

#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::inline v0::detail {
namespace {

using test::reader;

/// Runs the one task in the worker's queue.
void run_queued(worker& self) {
    task* queued = self.queues.normal.owner_pop();
    ASSERT_NE(queued, nullptr);
    queued->run(*queued, self);
    EXPECT_EQ(self.queues.normal.count(), 0U);
}

/// What `begin` submits comes before what `next` submits, also where the first of it is suspended.
TEST(holding_task, goes_on_when_what_its_beginning_has_submitted_is_enqueued) {
    test::unstarted_pool workers{1};
    std::array<limit_word, 3> limits{limit_word{9}, limit_word{9}, limit_word{9}};
    resource<int> held{0};
    std::string order;
    reader<3> slow{order, 's', {&limits[0], &limits[1], &limits[2]}};
    reader<1> suspended{order, 'b', {&limits[1]}};
    lane of_slow;
    workers.as_worker(0, [&](worker& self) {
        future<void> result;
        slow.while_settling = [&] {
            result = when(held).hold<int>(
                [&](int&, completion<int> done) {
                    suspended.own_ticket.submit(own_lane());
                    done.complete(1);
                },
                [&](int&, future<int>) { order += 'n'; });
            run_queued(self);
        };
        slow.own_ticket.submit(of_slow);
        EXPECT_EQ(order, "sb");
        run_queued(self);
        EXPECT_EQ(order, "sbn");
        EXPECT_TRUE(result.ready());
    })();
}

TEST(holding_task, keeps_no_callable_that_was_called) {
    test::unstarted_pool workers{1};
    resource<int> held{0};
    const auto counted = std::make_shared<int>(0);
    workers.as_worker(0, [&](worker& self) {
        std::optional<completion<int>> open;
        auto result = when(held).hold<int>(
            [&, captured = counted](int&, completion<int> done) { open.emplace(std::move(done)); },
            [captured = counted](int&, future<int> done) { return done.get(); });
        EXPECT_EQ(counted.use_count(), 3);
        run_queued(self);
        EXPECT_EQ(counted.use_count(), 2) << "begin was called";
        open->complete(1);
        run_queued(self);
        EXPECT_EQ(counted.use_count(), 1) << "next was called";
        EXPECT_EQ(result.get(), 1);
    })();
}

} // namespace
} // namespace weft::inline v0::detail
