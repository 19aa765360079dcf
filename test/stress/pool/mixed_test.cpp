// Everything at once: fork_join, futures, groups, continuations, and submitters from outside.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/future.hpp>
#include <weft/task_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// Each kind of work returns how many leaves it has, and each leaf counts itself.
class mixed_work {
public:
    explicit mixed_work(pool& workers) : workers_{workers} {}

    std::uint64_t leaf() {
        leaves_.fetch_add(1, std::memory_order_relaxed);
        return 1;
    }

    std::uint64_t forked(unsigned depth, std::uint64_t seed) {
        if (depth == 0) return leaf();
        const auto [a, b, c] =
            fork_join([=, this] { return any(depth - 1, seed * 5 + 1); }, [this] { return leaf(); },
                      [=, this] { return any(depth - 1, seed * 7 + 2); });
        return a + b + c;
    }

    std::uint64_t futures(unsigned depth, std::uint64_t seed) {
        std::vector<future<std::uint64_t>> all;
        for (std::uint64_t i = 0; i < 3; ++i) {
            all.push_back(workers_.submit([=, this] { return any(depth - 1, seed * 11 + i); }));
        }
        auto passed_on =
            workers_.submit([last = std::move(all.back())]() mutable { return last.get(); });
        all.pop_back();
        std::uint64_t sum = 0;
        for (auto& each : all) sum += each.get();
        return sum + passed_on.get();
    }

    std::uint64_t grouped(unsigned depth, std::uint64_t seed) {
        std::atomic<std::uint64_t> sum{0};
        task_group group{workers_};
        for (std::uint64_t i = 0; i < 3; ++i) {
            group.submit([&, i] { sum += any(depth - 1, seed * 13 + i); });
        }
        group.wait();
        return sum;
    }

    std::uint64_t throwing(unsigned depth, std::uint64_t seed) {
        std::uint64_t sum = 0;
        try {
            fork_join(
                [&]() {
                    sum = any(depth - 1, seed * 17 + 1);
                    throw std::runtime_error{"on purpose"};
                },
                [this] { leaf(); });
            ADD_FAILURE() << "it throws";
        } catch (const std::runtime_error&) {
            return sum + 1;
        }
        return 0;
    }

    std::uint64_t any(unsigned depth, std::uint64_t seed) {
        if (depth == 0) return leaf();
        switch (seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9ULL; (seed >> 40) % 6) {
        case 0: return futures(depth, seed);
        case 1: return grouped(depth, seed);
        case 2: return throwing(depth, seed);
        case 3: return blocking([&] { return forked(depth, seed); });
        default: return forked(depth, seed);
        }
    }

    [[nodiscard]] std::uint64_t leaves() const { return leaves_; }

private:
    pool& workers_;
    std::atomic<std::uint64_t> leaves_{0};
};

class mixed_work_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, mixed_work_on, testing::Values(1, 2, 3, 8, 64));

TEST_P(mixed_work_on, counts_exactly) {
    pool workers{GetParam()};
    mixed_work work{workers};
    std::atomic<std::uint64_t> returned{0};
    std::atomic<std::uint64_t> dropped{0};
    const std::uint64_t rounds = scaled(sanitized ? 15 : 100, 3'000);
    {
        std::vector<std::jthread> submitters;
        for (std::uint64_t t = 0; t < 3; ++t) {
            submitters.emplace_back([&, t] {
                for (std::uint64_t round = 0; round < rounds; ++round) {
                    const std::uint64_t seed = t * 1'000'003 + round;
                    auto result = workers.submit([&, seed] { return work.any(5, seed); });
                    auto next =
                        workers.submit([&, seed] { return work.any(3, ~seed); })
                            .then([](future<std::uint64_t> before) { return before.get(); });
                    workers.submit([&, seed] { dropped += work.any(2, seed + 1); });
                    returned += result.get() + next.get();
                }
            });
        }
    }
    workers.stop();
    EXPECT_EQ(returned + dropped, work.leaves());
    EXPECT_GT(work.leaves(), rounds);
}

TEST_P(mixed_work_on, counts_exactly_whatever_is_stolen_while_workers_stand_in) {
    const std::vector<std::shared_ptr<const stealing_policy>> policies{
        std::make_shared<half_stealing>(), std::make_shared<multi_stealing>(),
        std::make_shared<multi_stealing>(planning::when_one_is_idle)};
    for (const auto& policy : policies) {
        pool workers{pool_options{.workers = GetParam(), .extra_threads = 2, .stealing = policy}};
        mixed_work work{workers};
        std::uint64_t returned = 0;
        for (std::uint64_t round = 0; round < scaled(sanitized ? 10 : 80, 5'000); ++round) {
            returned += workers.run([&] { return work.any(6, round); });
        }
        workers.stop();
        EXPECT_EQ(returned, work.leaves());
    }
}

/// Nothing is left to do between two bursts, so all workers fall asleep and are woken again.
TEST_P(mixed_work_on, bursts_wake_sleeping_workers) {
    std::atomic<std::uint64_t> ran{0};
    std::uint64_t wanted = 0;
    pool workers{GetParam()};
    const std::uint64_t bursts = scaled(sanitized ? 200 : 2'000, 100'000);
    std::mt19937 random{GetParam()};
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
        const std::uint64_t count = 1 + random() % 8;
        for (std::uint64_t i = 0; i < count; ++i) workers.submit([&] { ++ran; });
        wanted += count;
        spin_until([&] { return ran == wanted; });
    }
}

} // namespace
} // namespace weft
