// Transfers between bank accounts: a task needs K of R accounts, changes or reads them, and
// computes for a while. The order in which tasks run is not prescribed; the sum of all balances is.
#pragma once

#include "runner/timed.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace bench::transfers {

struct account {
    std::int64_t balance = 1'000;
    std::int64_t uses = 0;
};

struct setting {
    std::size_t wanted;   // accounts of a task
    std::size_t accounts; // of all
    bool zipf;            // some accounts are wanted far more often than others
    std::int64_t body_ns;
    std::int64_t readers; // tasks of a hundred that only read

    [[nodiscard]] parameters describe() const {
        const auto count = static_cast<std::int64_t>(accounts);
        parameters all{{"K", static_cast<std::int64_t>(wanted)}};
        if (zipf) all.emplace_back("R", std::to_string(count) + " zipf");
        else all.emplace_back("R", count);
        all.emplace_back("body_ns", body_ns);
        all.emplace_back("readers", readers);
        return all;
    }
    auto operator<=>(const setting&) const = default;
};

/// The number of turns of `compute` that take this time.
[[nodiscard]] std::uint64_t turns_for(std::int64_t nanoseconds);

inline std::uint64_t compute(std::uint64_t turns, std::uint64_t value) {
    for (std::uint64_t i = 0; i != turns; ++i) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(value)); // keeps the loop from being optimised away
    }
    return value;
}

/// The work: for each task its accounts, in ascending order, and whether it only reads.
class job_list {
public:
    job_list(const setting& chosen, std::size_t count);

    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const setting& chosen() const { return setting_; }
    [[nodiscard]] std::span<const std::uint32_t> wanted(std::size_t job) const {
        return std::span{wanted_}.subspan(job * setting_.wanted, setting_.wanted);
    }
    [[nodiscard]] bool reads(std::size_t job) const {
        return static_cast<std::int64_t>(job * 2654435761U % 100) < setting_.readers;
    }

    /// The work of a task. `account_at(i)` is the i-th of its accounts.
    template <class AccountAt>
    void change(AccountAt account_at) const {
        const std::uint64_t value = compute(turns_, static_cast<std::uint64_t>(account_at(0).uses));
        const auto others = static_cast<std::int64_t>(setting_.wanted - 1);
        account_at(0).balance -= others + static_cast<std::int64_t>(value == 0);
        account_at(0).uses++;
        for (std::size_t i = 1; i != setting_.wanted; ++i) {
            account_at(i).balance++;
            account_at(i).uses++;
        }
    }
    template <class AccountAt>
    void look(AccountAt account_at) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i != setting_.wanted; ++i)
            sum += static_cast<std::uint64_t>(account_at(i).balance);
        sum = compute(turns_, sum);
        asm volatile("" : : "r"(sum));
    }
    /// Throws `wrong_result`.
    template <class AccountAt>
    void check(AccountAt account_at) const {
        std::int64_t sum = 0;
        std::int64_t uses = 0;
        for (std::size_t i = 0; i != setting_.accounts; ++i) {
            sum += account_at(i).balance;
            uses += account_at(i).uses;
        }
        expect_equal("the sum of all balances", sum,
                     1'000 * static_cast<std::int64_t>(setting_.accounts));
        expect_equal("the number of uses", uses,
                     changes_ * static_cast<std::int64_t>(setting_.wanted));
    }

private:
    setting setting_;
    std::size_t count_;
    std::uint64_t turns_;
    std::int64_t changes_ = 0;
    std::vector<std::uint32_t> wanted_;
};

/// Jobs that one task submits before it passes on to the next: as many as fit a cache, so that
/// memory is used again instead of filled.
inline constexpr std::size_t chunk = 256;

/// How all libraries with tasks submit them: in as many chains as there are threads. A task submits
/// a chunk, and one of that chunk's tasks, in its middle, submits the task that submits the next.
/// If a task submitted the next chunk itself, what comes first would depend on whether a library
/// runs the oldest or the youngest.
class chunk_chains {
public:
    explicit chunk_chains(const job_list& jobs) : size_{jobs.size()} {}

    /// `submit(job)` for each of the next chunk.
    template <class Submit>
    void submit_next(Submit submit) {
        const std::size_t first = next_.fetch_add(chunk, std::memory_order_relaxed);
        const std::size_t last = std::min(first + chunk, size_);
        for (std::size_t job = first; job < last; ++job) submit(job);
    }
    /// Whether this job, at its end, submits the task that submits the next chunk.
    [[nodiscard]] static bool goes_on_after(std::size_t job) { return job % chunk == chunk / 2; }

private:
    std::size_t size_;
    std::atomic<std::size_t> next_{0};
};

[[nodiscard]] std::vector<setting> settings(const request& request);
/// The same for all libraries.
[[nodiscard]] std::shared_ptr<const job_list> jobs_for(const setting& chosen, bool full);

/// `run(jobs, threads)` returns how many seconds it took, after checking what came out.
template <class Run>
std::vector<contestant> contestants(const request& request, Run run) {
    std::vector<contestant> all;
    for (const setting& each : settings(request)) {
        const auto jobs = jobs_for(each, request.full);
        all.push_back(
            {each.describe(), {}, [jobs, run, threads = request.threads]() -> std::vector<sample> {
                 const double seconds = run(*jobs, threads);
                 const double each_ns = seconds * 1e9 / static_cast<double>(jobs->size());
                 return {{"ns_per_task", each_ns, "ns"}};
             }});
    }
    return all;
}

using weft::cli::stopwatch;

} // namespace bench::transfers
