#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/threads.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

class work_source_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, work_source_on, testing::Values(1, 2, 3, 8, 64));

/// Work that is counted down.
class heap_of_work : public work_source {
public:
    bool try_run() noexcept override {
        ++inside_;
        std::int64_t left = left_;
        while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
        }
        if (left > 0) ++ran_;
        ++calls_;
        --inside_;
        return left > 0;
    }
    [[nodiscard]] bool has_work() const noexcept override {
        ++calls_;
        return left_ > 0;
    }

    void add(std::int64_t count) { left_ += count; }
    [[nodiscard]] std::int64_t ran() const { return ran_; }
    [[nodiscard]] std::int64_t inside() const { return inside_; }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

private:
    std::atomic<std::int64_t> left_{0};
    std::atomic<std::int64_t> ran_{0};
    std::atomic<std::int64_t> inside_{0};
    mutable std::atomic<std::uint64_t> calls_{0};
};

TEST_P(work_source_on, what_is_there_when_attached_is_run) {
    heap_of_work source;
    source.add(1000);
    workers.attach(source);
    spin_until([&] { return source.ran() == 1000; });
    workers.detach(source);
}

TEST_P(work_source_on, what_is_added_is_run_after_notify) {
    heap_of_work source;
    workers.attach(source);
    for (std::int64_t i = 1; i <= 200; ++i) {
        source.add(1);
        workers.notify();
        spin_until([&] { return source.ran() == i; });
    }
    workers.detach(source);
}

TEST_P(work_source_on, one_notify_is_enough_for_much_work) {
    heap_of_work source;
    workers.attach(source);
    for (std::int64_t round = 1; round <= 20; ++round) {
        source.add(500);
        workers.notify();
        spin_until([&] { return source.ran() == round * 500; });
    }
    workers.detach(source);
}

TEST_P(work_source_on, nobody_is_inside_and_nobody_comes_after_detach) {
    for (int round = 0; round < 50; ++round) {
        auto source = std::make_unique<heap_of_work>();
        source->add(1'000'000'000);
        workers.attach(*source);
        spin_until([&] { return source->ran() > 0; });
        workers.detach(*source);
        EXPECT_EQ(source->inside(), 0);
        const std::uint64_t calls = source->calls();
        workers.run([] {});
        EXPECT_EQ(source->calls(), calls);
    }
}

TEST_P(work_source_on, tasks_run_while_a_source_always_has_work) {
    heap_of_work source;
    source.add(1'000'000'000);
    workers.attach(source);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(workers.run([i] { return i; }), i);
    workers.detach(source);
}

TEST_P(work_source_on, a_source_is_served_while_tasks_submit_themselves) {
    std::atomic<bool> enough{false};
    struct respawner {
        pool& workers;
        std::atomic<bool>& enough;
        void operator()() const {
            if (!enough) workers.submit(*this);
        }
    };
    for (std::size_t i = 0; i < 2 * GetParam(); ++i) workers.submit(respawner{workers, enough});
    heap_of_work source;
    source.add(100);
    workers.attach(source);
    spin_until([&] { return source.ran() == 100; });
    enough = true;
    workers.detach(source);
    workers.stop(); // before `enough` ends
}

TEST(work_sources, are_served_in_turn) {
    /// Always has work, and counts the turns that it gets while the other source waits for its
    /// first.
    struct greedy final : work_source {
        std::atomic<std::uint64_t> alone{0};
        std::atomic<bool> over{false};
        heap_of_work* other = nullptr;
        bool try_run() noexcept override {
            if (other->has_work() && ++alone > 100'000) over = true;
            return !over;
        }
        [[nodiscard]] bool has_work() const noexcept override { return !over; }
    };
    pool workers{1};
    heap_of_work second;
    greedy first;
    first.other = &second;
    workers.attach(first);
    workers.attach(second);
    second.add(1); // only now, or the first would count the turns before both were there
    workers.notify();
    spin_until([&] { return second.ran() == 1; });
    EXPECT_LE(first.alone, 100'000U) << "the second was served only when the first was dry";
    first.over = true;
    workers.detach(first);
    workers.detach(second);
}

TEST(work_sources, that_are_dry_cost_nothing) {
    const auto before = thread_ids();
    pool workers{2};
    heap_of_work source;
    workers.attach(source);
    bool quiet = false;
    for (int look = 0; look < 2'000 && !quiet; ++look) {
        const std::uint64_t calls = source.calls();
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        quiet = source.calls() == calls;
    }
    EXPECT_TRUE(quiet);
    workers.detach(source);
}

TEST(work_sources, are_detached_by_a_task_of_a_worker_that_has_served_them) {
    pool workers{1};
    heap_of_work source;
    source.add(1);
    workers.attach(source);
    spin_until([&] { return source.ran() == 1; });
    EXPECT_EQ(workers.run([&] { return error_of([&] { workers.detach(source); }); }), "none");
}

TEST(work_sources, learn_of_the_end_of_their_pool) {
    struct witness final : work_source {
        std::atomic<int> notices{0};
        bool try_run() noexcept override { return false; }
        [[nodiscard]] bool has_work() const noexcept override { return false; }
        void pool_ended() noexcept override { ++notices; }
    };
    witness first;
    witness second;
    witness late;
    pool workers{2};
    workers.attach(first);
    workers.attach(second);
    EXPECT_EQ(first.notices + second.notices, 0);
    workers.stop();
    EXPECT_GT(first.notices, 0);
    EXPECT_GT(second.notices, 0);
    workers.attach(late);
    EXPECT_GT(late.notices, 0);
    for (witness* each : {&first, &second, &late}) workers.detach(*each);
}

TEST(work_sources, cannot_be_detached_from_inside) {
    struct detaching final : work_source {
        pool& workers;
        std::atomic<bool> has{true};
        std::string outcome;
        event done;
        explicit detaching(pool& attached_to) : workers{attached_to} {}
        bool try_run() noexcept override {
            if (!has.exchange(false)) return false;
            outcome = error_of([this] { workers.detach(*this); });
            done.happen();
            return true;
        }
        [[nodiscard]] bool has_work() const noexcept override { return has; }
    };
    pool workers{2};
    detaching source{workers};
    workers.attach(source);
    source.done.await();
    EXPECT_EQ(source.outcome, "would_deadlock");
    workers.detach(source);
}

TEST(work_sources, are_attached_once) {
    pool workers{1};
    heap_of_work source;
    workers.attach(source);
    EXPECT_EQ(error_of([&] { workers.attach(source); }), "invalid_argument");
    workers.detach(source);
    const std::uint64_t calls = source.calls();
    source.add(1);
    workers.notify();
    workers.run([] {});
    EXPECT_EQ(source.calls(), calls) << "it is not attached at all now";
    workers.attach(source);
    spin_until([&] { return source.ran() == 1; });
    workers.detach(source);
}

/// Sources are not asked any more once the pool stops.
TEST(work_sources, do_not_keep_a_pool_from_stopping) {
    heap_of_work source;
    constexpr std::int64_t endless = 1'000'000'000;
    source.add(endless);
    {
        pool workers{2};
        workers.attach(source);
        spin_until([&] { return source.ran() > 0; });
        workers.stop();
        workers.detach(source);
    }
    EXPECT_LT(source.ran(), endless);
}

TEST(work_sources, of_any_reasonable_number_are_served) {
    pool workers{2};
    std::vector<heap_of_work> sources(64);
    for (heap_of_work& each : sources) {
        each.add(10);
        workers.attach(each);
    }
    for (heap_of_work& each : sources) {
        spin_until([&] { return each.ran() == 10; });
    }
    heap_of_work another;
    EXPECT_EQ(error_of([&] { workers.attach(another); }), "full");
    for (heap_of_work& each : sources) workers.detach(each);
    workers.attach(another);
    workers.detach(another);
}

} // namespace
} // namespace weft
