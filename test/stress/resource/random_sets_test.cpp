// Random sets of resources, and what must hold whatever they are.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// A bank account that watches how it is used.
struct account {
    std::int64_t balance = 1'000;
    std::atomic<int> writers{0};
    mutable std::atomic<int> readers{0};
    /// The last task of each submitter that was here: later ones come later.
    std::array<std::uint64_t, 4> last{};

    void begin_write(std::size_t submitter, std::uint64_t ticket) {
        EXPECT_EQ(writers.fetch_add(1), 0) << "two write at once";
        EXPECT_EQ(readers.load(), 0) << "somebody reads what is written";
        EXPECT_LT(last[submitter], ticket) << "a later task was here before";
        last[submitter] = ticket;
    }
    void end_write() { writers.fetch_sub(1); }
    void begin_read() const {
        readers.fetch_add(1);
        EXPECT_EQ(writers.load(), 0) << "somebody writes what is read";
    }
    void end_read() const { readers.fetch_sub(1); }
};

class bank {
public:
    explicit bank(pool& workers, std::size_t accounts) : workers_{workers} {
        for (std::size_t i = 0; i < accounts; ++i) accounts_.emplace_back();
    }

    /// What one thread or task submits: transfers, looks, transfers of several, with weights, some
    /// cancelled.
    void submit_some(std::size_t submitter, std::uint64_t count, std::uint64_t first = 1) {
        std::mt19937_64 random{submitter * 977 + first};
        std::stop_source cancelled;
        cancelled.request_stop();
        for (std::uint64_t i = first; i < first + count; ++i) {
            auto& one = accounts_[random() % accounts_.size()];
            auto& other = accounts_[random() % accounts_.size()];
            switch (random() % 8) {
            case 0: look(one, other); break;
            case 1: move_around(submitter, i, random); break;
            case 2: transfer(submitter, i, one, other, {.stop = cancelled.get_token()}); break;
            case 3: weigh(1 + static_cast<std::uint32_t>(random() % capacity)); break;
            default: transfer(submitter, i, one, other, {}); break;
            }
        }
        submitted_ += count;
    }
    void await_all() {
        spin_until([&] { return ended_ == submitted_; });
    }
    void check() {
        std::int64_t sum = 0;
        for (auto& each : accounts_) {
            sum += when(each).submit(workers_, [](account& a) { return a.balance; }).get();
        }
        EXPECT_EQ(sum, 1'000 * static_cast<std::int64_t>(accounts_.size()));
        EXPECT_LE(heaviest_, capacity);
    }

private:
    static constexpr std::uint32_t capacity = 5;
    using resource_account = resource<account>;
    /// Counts the end of a task, also of one that does not run.
    struct end_mark {
        std::atomic<std::uint64_t>* ended;
        explicit end_mark(std::atomic<std::uint64_t>& count) : ended{&count} {}
        end_mark(end_mark&& other) noexcept : ended{std::exchange(other.ended, nullptr)} {}
        end_mark& operator=(end_mark&&) = delete;
        ~end_mark() {
            if (ended != nullptr) ended->fetch_add(1);
        }
    };

    void transfer(std::size_t submitter, std::uint64_t ticket, resource_account& payer,
                  resource_account& payee, const when_options& options) {
        when(payer, payee)
            .submit(workers_, options, [=, mark = end_mark{ended_}](account& a, account& b) {
                if (&a == &b) return;
                a.begin_write(submitter, ticket);
                b.begin_write(submitter, ticket);
                a.balance -= 7;
                b.balance += 7;
                b.end_write();
                a.end_write();
            });
    }
    void look(resource_account& one, resource_account& other) {
        when(read(one), read(other))
            .submit(workers_, [mark = end_mark{ended_}](const account& a, const account& b) {
                a.begin_read();
                b.begin_read();
                b.end_read();
                a.end_read();
            });
    }
    void move_around(std::size_t submitter, std::uint64_t ticket, std::mt19937_64& random) {
        std::vector<resource_account*> some;
        for (std::uint64_t n = 1 + random() % 5; n > 0; --n) {
            some.push_back(&accounts_[random() % accounts_.size()]);
        }
        std::sort(some.begin(), some.end());
        some.erase(std::unique(some.begin(), some.end()), some.end());
        when(some).submit(workers_, [=, mark = end_mark{ended_}](std::span<account* const> all) {
            for (account* each : all) each->begin_write(submitter, ticket);
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i]->balance -= 3;
                all[(i + 1) % all.size()]->balance += 3;
            }
            for (account* each : all) each->end_write();
        });
    }
    void weigh(std::uint32_t weight) {
        when(take(limit_, weight)).submit(workers_, [this, weight, mark = end_mark{ended_}] {
            const std::uint32_t now = weight_ += weight;
            std::uint32_t before = heaviest_;
            while (before < now && !heaviest_.compare_exchange_weak(before, now)) {
            }
            weight_ -= weight;
        });
    }

    pool& workers_;
    std::deque<resource_account> accounts_;
    limit limit_{capacity};
    std::atomic<std::uint32_t> weight_{0};
    std::atomic<std::uint32_t> heaviest_{0};
    std::atomic<std::uint64_t> submitted_{0};
    std::atomic<std::uint64_t> ended_{0};
};

class random_sets_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, random_sets_on, testing::Values(1, 2, 3, 8, 64));

/// In the full run the five of these have more than ten million tasks.
TEST_P(random_sets_on, keep_what_must_hold) {
    pool workers{GetParam()};
    for (const std::size_t accounts : {3U, 10U, 1'000U}) {
        bank all{workers, accounts};
        const std::uint64_t each = scaled(sanitized ? 1'000 : 10'000, 250'000);
        {
            std::vector<std::jthread> outside;
            for (std::size_t t = 0; t < 2; ++t) {
                outside.emplace_back([&, t] { all.submit_some(t, each); });
            }
            workers.run([&] { all.submit_some(2, each); });
        }
        all.await_all();
        all.check();
    }
}

/// Tasks that submit tasks, so that nearly all is submitted by workers.
TEST_P(random_sets_on, keep_what_must_hold_when_tasks_submit_tasks) {
    pool workers{GetParam()};
    bank all{workers, 10};
    const std::uint64_t chunks = scaled(sanitized ? 20 : 200, 2'000);
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        resource<int> turn{0};
        const auto submit = [&](int&) {
            all.submit_some(3, 50, 1 + chunk * 50);
            wait_for_enqueued(); // the next chunk may be submitted by another worker
        };
        when(turn).submit(workers, submit).get();
    }
    all.await_all();
    all.check();
}

} // namespace
} // namespace weft
