// A mutex for each account, and threads that lock. Audits lock all of them for reading, in ascending order.
#include "acts/transfers/acts.hpp"
#include "acts/transfers/bank.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace weft::demo::transfers {
namespace {

struct alignas(64) place {
    std::shared_mutex mutex;
    account content;
};
using bank = std::array<place, accounts>;

/// First the one that is looked at, then the other: two transfers in opposite directions, and both wait for ever.
void lock_as_named(place& from, place& to) {
    const std::lock_guard first{from.mutex};
    look_at(from.content);
    const std::lock_guard second{to.mutex};
    transfer(from.content, to.content);
}

/// std::scoped_lock takes both without waiting for one while it has the other.
void lock_both(place& from, place& to) {
    const std::scoped_lock both{from.mutex, to.mutex};
    look_at(from.content);
    transfer(from.content, to.content);
}

std::int64_t sum_of(const bank& all) {
    std::int64_t sum = 0;
    for (const place& each : all) sum += each.content.balance;
    return sum;
}

bool lock_all(bank& all) {
    std::vector<std::shared_lock<std::shared_mutex>> held;
    held.reserve(accounts);
    for (place& each : all) held.emplace_back(each.mutex);
    return audit([&] { return sum_of(all); });
}

outcome run(ledger&& book, std::size_t count, void (*move)(place&, place&)) {
    bank all;
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number != count; ++number) {
        threads.emplace_back([&, number] {
            plan mine{number + 1};
            while (book.open()) {
                const plan::job next = mine.next();
                if (next.audit) {
                    book.count_audit(lock_all(all));
                } else {
                    move(all[next.from], all[next.to]);
                    book.count_transfer();
                }
            }
        });
    }
    for (std::thread& each : threads) each.join();
    return book.close([&] { return sum_of(all); });
}

} // namespace

outcome with_locks_as_named(const settings& how) {
    // One thread alone cannot meet itself. It is a matter of milliseconds on a machine that has nothing else to do.
    constexpr double patience = 5;
    return run(ledger{patience}, std::max<std::size_t>(how.threads, 2), lock_as_named);
}

outcome with_scoped_locks(const settings& how) { return run(ledger{how}, how.threads, lock_both); }

} // namespace weft::demo::transfers
