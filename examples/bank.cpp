// A bank: transfers between any two accounts, and audits of all of them, without a lock.
#include <weft/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace {

// [accounts]
struct account {
    std::int64_t balance = 1'000;
};
using accounts = std::deque<weft::resource<account>>; // a resource does not move
// [/accounts]

// [transfer]
/// Two accounts, in any order: other tasks may name the same two the other way round.
weft::future<bool> transfer(weft::pool& pool, weft::resource<account>& from,
                            weft::resource<account>& to, std::int64_t amount) {
    return weft::when(from, to).submit(pool, [amount](account& a, account& b) {
        if (a.balance < amount) return false;
        a.balance -= amount;
        b.balance += amount;
        return true;
    });
}
// [/transfer]

// [audit]
/// All accounts at one moment: no transfer is half done then. Audits may run concurrently.
weft::future<std::int64_t> audit(weft::pool& pool, accounts& all) {
    std::vector<decltype(weft::read(all.front()))> reads;
    for (auto& each : all) reads.push_back(weft::read(each));
    return weft::when(reads).submit(pool, [](std::span<const account* const> found) {
        std::int64_t total = 0;
        for (const account* each : found) total += each->balance;
        return total;
    });
}
// [/audit]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    constexpr std::size_t customers = 20;
    constexpr int rounds = 2'000;
    constexpr int between_audits = 100;

    accounts all(customers); // before the pool, which is destroyed first and runs what is queued
    weft::pool pool{2};
    std::mt19937 rng{7};
    std::uniform_int_distribution<std::size_t> anybody{0, customers - 1};
    std::uniform_int_distribution<std::int64_t> amounts{1, 500};

    std::vector<weft::future<bool>> transfers;
    std::vector<weft::future<std::int64_t>> audits;
    for (int round = 0; round != rounds; ++round) {
        const std::size_t from = anybody(rng);
        const std::size_t to = (from + 1 + anybody(rng) % (customers - 1)) % customers;
        transfers.push_back(transfer(pool, all[from], all[to], amounts(rng)));
        if (round % between_audits == 0) audits.push_back(audit(pool, all));
    }

    std::size_t done = 0;
    for (auto& each : transfers) done += each.get() ? 1U : 0U;
    bool right = true;
    for (auto& each : audits) right = right && each.get() == 1'000 * std::int64_t{customers};
    std::cout << done << " transfers, " << rounds - done << " refused; " << audits.size()
              << " audits, " << (right ? "all" : "NOT all") << " with the same total\n";
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
