// Transfers from one account to another, and audits, which read all accounts at one moment and must
// always find the same sum. A transfer computes for a microsecond, an audit for ten.
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::demo::transfers {

inline constexpr std::size_t accounts = 32;
inline constexpr std::int64_t first_balance = 1'000;
inline constexpr std::int64_t whole = first_balance * static_cast<std::int64_t>(accounts);

struct account {
    std::int64_t balance = first_balance;
};

/// The jobs of one thread or chain of tasks: transfers between two accounts, and audits.
class plan {
public:
    explicit plan(std::uint64_t seed) : state_{seed * 2654435761U + 88172645463325252U} {}

    struct job {
        bool audit;
        std::size_t source;
        std::size_t target;
    };
    job next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        const std::size_t source = (state_ >> 20U) % accounts;
        const std::size_t others = (state_ >> 40U) % (accounts - 1);
        return {++jobs_ % jobs_of_an_audit == 0, source, others < source ? others : others + 1};
    }

private:
    static constexpr std::uint64_t jobs_of_an_audit = 100;
    std::uint64_t state_;
    std::uint64_t jobs_ = 0;
};

/// Checking the balance takes half of the microsecond, the transfer the other half.
inline void check_balance(const account& /*source*/) { compute_for(500); }

inline void transfer(account& source, account& target) {
    compute_for(500);
    --source.balance;
    ++target.balance;
}

/// Whether `sum()` is right.
template <class Sum>
bool audit(Sum sum) {
    compute_for(10'000);
    return sum() == whole;
}

/// Counts the jobs of all threads, and says when to end.
class ledger {
public:
    explicit ledger(double seconds) : seconds_{seconds} {}
    explicit ledger(const settings& settings) : ledger{settings.choose(1.0, 0.2)} {}

    /// For its time, and on a busy machine until there was an audit.
    [[nodiscard]] bool open() const { return watch_.seconds() < seconds_ || audits_.load() == 0; }
    void count_transfer() { transfers_.fetch_add(1, std::memory_order_relaxed); }
    void count_audit(bool right) {
        audits_.fetch_add(1, std::memory_order_relaxed);
        if (!right) wrong_.fetch_add(1, std::memory_order_relaxed);
    }
    /// After all jobs have ended.
    template <class Sum>
    [[nodiscard]] outcome close(Sum sum) const {
        const double taken = watch_.seconds();
        return {{{"per_second", static_cast<double>(transfers_.load()) / taken, "1/s"},
                 {"audits", static_cast<double>(audits_.load()), ""}},
                {{"every audit found the same sum", wrong_.load() == 0},
                 {"there were audits", audits_.load() > 0},
                 {"no money is lost", sum() == whole}},
                {}};
    }

private:
    double seconds_;
    stopwatch watch_;
    alignas(64) std::atomic<std::int64_t> transfers_{0};
    std::atomic<std::int64_t> audits_{0};
    std::atomic<std::int64_t> wrong_{0};
};

} // namespace weft::demo::transfers
