// Nothing that is ready starves.
#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace weft {
namespace {

using namespace test;

/// Submits itself again until `enough` is set, and counts.
struct respawner {
    pool& workers;
    std::atomic<std::uint64_t>& picks;
    std::atomic<bool>& enough;
    void operator()() const {
        ++picks;
        if (!enough) workers.submit(*this);
    }
};

TEST(starvation, tasks_from_outside_start_while_a_task_submits_itself) {
    std::atomic<std::uint64_t> picks{0};
    std::atomic<bool> enough{false};
    pool workers{1};
    workers.submit(respawner{workers, picks, enough});
    for (int round = 0; round < 100; ++round) {
        auto started = workers.submit([&] { return picks.load(); });
        const std::uint64_t submitted = picks;
        EXPECT_LE(started.get(), submitted + 200);
    }
    enough = true;
}

TEST(starvation, the_oldest_own_task_starts_while_a_task_submits_itself) {
    std::atomic<std::uint64_t> picks{0};
    std::atomic<bool> enough{false};
    pool workers{1};
    auto started = workers.run([&] {
        auto oldest = workers.submit([&] {
            enough = true;
            return picks.load();
        });
        workers.submit(respawner{workers, picks, enough});
        return oldest;
    });
    EXPECT_LE(started.get(), 200U);
}

/// The oldest own task also starts if there is always something new from outside.
TEST(starvation, the_oldest_own_task_starts_during_a_flood_from_outside) {
    constexpr std::uint64_t bound = 10'000;
    std::atomic<std::uint64_t> picks{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<bool> enough{false};
    std::atomic<bool> over{false};
    pool workers{1};
    struct fed_respawner {
        pool& workers;
        std::atomic<std::uint64_t>& picks;
        std::atomic<std::uint64_t>& sent;
        std::atomic<bool>& enough;
        void operator()() const {
            if (enough || ++picks >= bound) return;
            const std::uint64_t before = sent;
            spin_until([&] { return sent != before || enough; }); // something new has come
            workers.submit(*this);
        }
    };
    std::jthread flood{[&] {
        while (!over) {
            workers.submit([] {});
            const std::uint64_t now = ++sent;
            spin_until([&] { return picks.load() + 2 >= now || over; });
        }
    }};
    auto started = workers.run([&] {
        auto oldest = workers.submit([&] {
            enough = true;
            return picks.load();
        });
        workers.submit(fed_respawner{workers, picks, sent, enough});
        return oldest;
    });
    EXPECT_LT(started.get(), bound);
    over = true;
}

} // namespace
} // namespace weft
