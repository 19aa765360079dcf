#include "pool/worker_thread.hpp"

#include "support/unstarted_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

namespace weft::inline v0::detail {
namespace {

/// The one worker of a pool, on a thread of its own.
class lone_worker {
public:
    explicit lone_worker(pool_options options = {.workers = 1})
        : pool_{std::move(options)}, thread_{pool_.thread_of(0)} {}
    ~lone_worker() {
        pool_.core().stop(on_stop::drain);
        thread_.join();
    }
    lone_worker(const lone_worker&) = delete;
    lone_worker& operator=(const lone_worker&) = delete;

    [[nodiscard]] pool_core& core() noexcept { return pool_.core(); }
    [[nodiscard]] worker_statistics counts() { return pool_[0].counts.read(); }
    void submit(task& item) {
        core().arrivals[priority::normal].push(&item);
        core().sleep.notify();
    }
    void wait_until_asleep() {
        while (core().sleep.wakeable() == 0) std::this_thread::yield();
    }

private:
    test::unstarted_pool pool_;
    std::thread thread_;
};

struct flag_task : task {
    flag_task() {
        run = [](task& self, worker& /*runner*/) noexcept {
            static_cast<flag_task&>(self).ran = true;
        };
    }
    std::atomic<bool> ran{false};
};

/// It may find the task in its last look before it sleeps; then it is not woken, and the test tries
/// again.
TEST(worker_thread, counts_its_sleeps_and_how_often_it_was_woken) {
    lone_worker only;
    unsigned sleeps = 1;
    for (only.wait_until_asleep(); only.counts().wakes == 0; ++sleeps) {
        ASSERT_EQ(only.counts().parks, sleeps);
        ASSERT_EQ(only.counts().tasks, sleeps - 1);
        flag_task item;
        only.submit(item);
        while (!item.ran) std::this_thread::yield();
        only.wait_until_asleep();
    }
    EXPECT_EQ(only.counts().wakes, 1U);
    EXPECT_EQ(only.counts().parks, sleeps);
}

/// Work that is there only when a worker that is about to sleep looks for the last time.
class last_minute_source : public work_source {
public:
    explicit last_minute_source(pool_core& core) : core_{&core} {}
    bool try_run() noexcept override { return false; }
    [[nodiscard]] bool has_work() const noexcept override {
        return !ended && core_->sleep.wakeable() > 0;
    }
    std::atomic<bool> ended{false};

private:
    pool_core* core_;
};

TEST(worker_thread, that_stays_awake_was_not_woken) {
    lone_worker only;
    last_minute_source source{only.core()};
    only.wait_until_asleep();
    const auto before = only.counts().wakes;
    ASSERT_EQ(before, 0U);
    only.core().sources.attach(source);
    flag_task item;
    only.submit(item);
    while (!item.ran) std::this_thread::yield();
    const auto woken = only.counts().wakes; // once at most, by the task
    const auto sleeps = only.counts().parks;
    while (only.counts().parks < sleeps + 3) std::this_thread::yield();
    EXPECT_EQ(only.counts().wakes, woken);
    source.ended = true;
    only.core().sources.detach(source);
}

/// An order for a worker that is busy would keep tasks from those that are idle.
TEST(worker_thread, gets_no_orders_while_it_runs_something) {
    struct asking_task : task {
        steal_orders* orders = nullptr;
        std::atomic<int> hungry{-1};
    } item;
    item.run = [](task& self, worker& runner) noexcept {
        auto& asking = static_cast<asking_task&>(self);
        asking.hungry = asking.orders->is_hungry(runner.index()) ? 1 : 0;
    };
    lone_worker first{{.workers = 2, .stealing = std::make_shared<multi_stealing>()}};
    item.orders = &first.core().planner->orders;
    while (!item.orders->is_hungry(0)) std::this_thread::yield();
    first.submit(item);
    while (item.hungry < 0) std::this_thread::yield();
    EXPECT_EQ(item.hungry, 0);
}

} // namespace
} // namespace weft::inline v0::detail
