// A mutex for each account, and threads that lock. Audits lock all of them for reading, in
// ascending order.
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

/// First the account that is checked, then the other: two transfers in opposite directions
/// deadlock.
void lock_as_named(place& source, place& target) {
    const std::lock_guard first{source.mutex};
    check_balance(source.content);
    const std::lock_guard second{target.mutex};
    transfer(source.content, target.content);
}

/// std::scoped_lock never waits for one mutex while it holds the other.
void lock_both(place& source, place& target) {
    const std::scoped_lock both{source.mutex, target.mutex};
    check_balance(source.content);
    transfer(source.content, target.content);
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
            plan chain{number + 1};
            while (book.open()) {
                const plan::job next = chain.next();
                if (next.audit) {
                    book.count_audit(lock_all(all));
                } else {
                    move(all[next.source], all[next.target]);
                    book.count_transfer();
                }
            }
        });
    }
    for (std::thread& each : threads) each.join();
    return book.close([&] { return sum_of(all); });
}

} // namespace

outcome with_locks_as_named(const settings& settings) {
    // A deadlock needs two threads. On an idle machine it takes milliseconds.
    constexpr double most_seconds = 5;
    return run(ledger{most_seconds}, std::max<std::size_t>(settings.threads, 2), lock_as_named);
}

outcome with_scoped_locks(const settings& settings) {
    return run(ledger{settings}, settings.threads, lock_both);
}

} // namespace weft::demo::transfers
