// Which of the tasks on resources that are ready runs first, and that none starves.
#include "conform/cpp/rendezvous.hpp"

#include <weft/contract.hpp>
#include <weft/fork_join.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(resource_priority, of_ready_tasks_high_priority_runs_first_and_low_last) {
    event begun;
    event go;
    std::string order;
    pool workers{1};
    auto busy = workers.submit([&] {
        begun.happen();
        go.await();
    });
    begun.await();
    std::vector<std::unique_ptr<resource<int>>> some;
    const auto add = [&](char mark, priority level) {
        some.push_back(std::make_unique<resource<int>>(0));
        when(*some.back()).submit(workers, {.priority = level}, [&order, mark](int&) {
            order += mark;
        });
    };
    for (int i = 0; i < 5; ++i) {
        add('l', priority::low);
        add('n', priority::normal);
        add('h', priority::high);
    }
    go.happen();
    busy.get();
    workers.stop();
    EXPECT_EQ(order, "hhhhhnnnnnlllll");
}

/// A flood of tasks of high priority does not keep the others from running.
TEST(resource_priority, nobody_starves) {
    pool workers{1};
    resource<int> hot{0};
    resource<int> a{0};
    resource<int> b{0};
    std::atomic<std::uint64_t> picks{0};
    std::atomic<bool> enough{false};
    struct again {
        pool& workers;
        resource<int>& hot;
        std::atomic<std::uint64_t>& picks;
        std::atomic<bool>& enough;
        void operator()(int&) const {
            ++picks;
            if (!enough) when(hot).submit(workers, {.priority = priority::high}, *this);
        }
    };
    when(hot).submit(workers, {.priority = priority::high}, again{workers, hot, picks, enough});
    spin_until([&] { return picks > 0; });
    for (int round = 0; round < 20; ++round) {
        auto normal = when(a).submit(workers, [&](int&) { return picks.load(); });
        auto low = when(b).submit(workers, {.priority = priority::low},
                                  [&](int&) { return picks.load(); });
        const std::uint64_t before = picks;
        EXPECT_LE(normal.get(), before + 1'000);
        EXPECT_LE(low.get(), before + 1'000);
    }
    enough = true;
    workers.stop();
}

/// A task that always submits another of its own priority does not keep others of that priority
/// from running, whether they were submitted by a task or from outside.
TEST(resource_priority, nobody_starves_within_a_priority) {
    for (const priority level : {priority::high, priority::normal, priority::low}) {
        for (const bool by_task : {false, true}) {
            pool workers{1};
            resource<int> hot{0};
            resource<int> cold{0};
            std::atomic<std::uint64_t> picks{0};
            std::atomic<bool> enough{false};
            const auto submit_hot = [&](const auto& self) -> void {
                when(hot).submit(workers, {.priority = level}, [&, self](int&) {
                    ++picks;
                    if (!enough) self(self);
                });
            };
            const auto submit_cold = [&] {
                return when(cold).submit(workers, {.priority = level},
                                         [&](int&) { return picks.load(); });
            };
            auto waits = workers.run([&] {
                auto inside = by_task ? submit_cold() : future<std::uint64_t>{};
                submit_hot(submit_hot);
                return inside;
            });
            spin_until([&] { return picks > 0; });
            if (!by_task) waits = submit_cold();
            const bool came = comes_soon([&] { return waits.ready(); });
            enough = true;
            workers.stop();
            ASSERT_TRUE(came) << static_cast<int>(level) << by_task;
            // From outside, the other task may have run any number of times before this was
            // submitted.
            const std::uint64_t picks_before = waits.get();
            if (by_task) {
                EXPECT_LE(picks_before, 1'000U) << static_cast<int>(level);
            }
        }
    }
}

/// Resource tasks, forked tasks, plain tasks and contracts on one worker: each kind starts soon.
TEST(resource_priority, no_kind_of_work_starves_another_on_one_worker) {
    std::atomic<std::uint64_t> picks{0};
    std::atomic<std::uint64_t> contract_runs{0};
    std::uint64_t last_pick = 0;
    std::uint64_t longest = 0; // between two runs of the contract
    std::atomic<bool> enough{false};
    pool workers{1};
    contract_group group{workers};
    const contract standing = group.create(
        [&](contract_token& token) { // one pick runs it many times
            longest = std::max(longest, picks - std::exchange(last_pick, picks));
            ++contract_runs;
            if (!enough) token.schedule();
        },
        {.scheduled = true});
    resource<int> hot{0};
    struct resource_task {
        pool& workers;
        resource<int>& hot;
        std::atomic<std::uint64_t>& picks;
        std::atomic<bool>& enough;
        void operator()(int&) const {
            ++picks;
            if (!enough) when(hot).submit(workers, *this);
        }
    };
    struct plain {
        pool& workers;
        std::atomic<std::uint64_t>& picks;
        std::atomic<bool>& enough;
        void operator()() const {
            ++picks;
            static_cast<void>(fork_join([] { return 1; }, [] { return 2; }));
            if (!enough) workers.submit(*this);
        }
    };
    when(hot).submit(workers, resource_task{workers, hot, picks, enough});
    workers.submit(plain{workers, picks, enough});
    resource<int> cold{0};
    for (int round = 0; round < 50; ++round) {
        const std::uint64_t standing_before = contract_runs;
        auto one = when(cold).submit(workers, [&](int&) { return picks.load(); });
        auto other = workers.submit([&] { return picks.load(); });
        const std::uint64_t before = picks;
        EXPECT_LE(one.get(), before + 1'000);
        EXPECT_LE(other.get(), before + 1'000);
        spin_until([&] { return contract_runs > standing_before; });
    }
    enough = true;
    group.stop();
    workers.stop();
    EXPECT_LE(longest, 1'000U);
}

} // namespace
} // namespace weft
