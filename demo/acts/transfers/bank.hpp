// Money that goes from one account to another, and audits, which look at all accounts at one moment and must
// always find the same sum. A transfer computes for a microsecond, an audit for ten.
#pragma once

#include "acts/act.hpp"
#include "acts/stopwatch.hpp"

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

/// What one thread or chain of tasks does next: two accounts, or an audit.
class plan {
public:
    explicit plan(std::uint64_t seed) : state_{seed * 2654435761U + 88172645463325252U} {}

    struct job {
        bool audit;
        std::size_t from;
        std::size_t to;
    };
    job next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        const std::size_t from = (state_ >> 20U) % accounts;
        const std::size_t others = (state_ >> 40U) % (accounts - 1);
        return {++jobs_ % jobs_of_an_audit == 0, from, others < from ? others : others + 1};
    }

private:
    static constexpr std::uint64_t jobs_of_an_audit = 100;
    std::uint64_t state_;
    std::uint64_t jobs_ = 0;
};

/// Whether there is enough on the account takes half a microsecond to find out, and the rest as long.
inline void look_at(const account& /*from*/) { compute_for(500); }

inline void transfer(account& from, account& to) {
    compute_for(500);
    --from.balance;
    ++to.balance;
}

/// The sum, which `sum()` finds.
template <class Sum>
bool audit(Sum sum) {
    compute_for(10'000);
    return sum() == whole;
}

/// What all of them have done, and whether it is time to end.
class ledger {
public:
    explicit ledger(double seconds) : seconds_{seconds} {}
    explicit ledger(const settings& how) : ledger{how.choose(1.0, 0.2)} {}

    /// For its time, and on a machine that is busy otherwise until there was an audit.
    [[nodiscard]] bool open() const { return watch_.seconds() < seconds_ || audits_.load() == 0; }
    void count_transfer() { transfers_.fetch_add(1, std::memory_order_relaxed); }
    void count_audit(bool right) {
        audits_.fetch_add(1, std::memory_order_relaxed);
        if (!right) wrong_.fetch_add(1, std::memory_order_relaxed);
    }
    /// When all have ended.
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
