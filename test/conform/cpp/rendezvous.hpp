// What tests of the pool share: ways to bring threads into an order without sleeping.
#pragma once

#include "support/patience.hpp"
#include "support/sanitizers.h"

#include <weft/blocking.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace weft::test {

inline constexpr bool sanitized = WEFT_SANITIZED;

/// Happens once, and can be waited for.
class event {
public:
    void happen() {
        happened_.store(true);
        happened_.notify_all();
    }
    [[nodiscard]] bool has_happened() const { return happened_.load(); }
    void await() const { happened_.wait(false); }

private:
    std::atomic<bool> happened_{false};
};

template <class Condition>
void spin_until(Condition condition) {
    while (!condition()) std::this_thread::yield();
}

/// The same with an end, for what would otherwise be a test that never ends: true if it came.
template <class Condition>
bool comes_soon(Condition condition) {
    patience left;
    while (!condition()) {
        if (left.is_over()) return false;
        std::this_thread::yield();
    }
    return true;
}

/// A point that a given number of threads must reach at the same time.
class meeting {
public:
    explicit meeting(std::size_t wanted) : wanted_{wanted} {}
    /// Waits for the others: true if all have come.
    bool attend() {
        ++present_;
        return comes_soon([this] { return present_ == wanted_; });
    }

private:
    std::size_t wanted_;
    std::atomic<std::size_t> present_{0};
};

/// On a worker: lets others have all it has forked, and waits.
inline void await_sharing(const event& awaited) {
    blocking([&] { awaited.await(); });
}

/// The same without `blocking`: it goes on to fork, so that hungry workers are answered.
inline void await_forking(const event& awaited) {
    while (!awaited.has_happened()) {
        static_cast<void>(fork_join([] {}, [] {}));
        std::this_thread::yield();
    }
}

/// The results of a fork_join whose second callable is certainly run by another worker; for pools
/// of two workers and more.
template <class First, class Second>
auto fork_stolen(First first, Second second) {
    event started;
    return fork_join(
        [&]() -> decltype(auto) {
            await_sharing(started);
            return first();
        },
        [&]() -> decltype(auto) {
            started.happen();
            return second();
        });
}

/// The name of the `weft::error` that `call` throws, or "none".
template <class Call>
std::string error_of(Call&& call) {
    try {
        call();
    } catch (const error& thrown) {
        return std::string{name_of(thrown.code())};
    }
    return "none";
}

/// The sum of one statistic over the workers.
inline std::uint64_t total(const pool& workers, std::uint64_t worker_statistics::* statistic) {
    std::uint64_t sum = 0;
    for (const worker_statistics& each : workers.statistics()) sum += each.*statistic;
    return sum;
}

/// Waits until a pool that has nothing to do is asleep, all of it.
inline void await_sleep(pool& workers) {
    spin_until([&] {
        const auto all = workers.statistics();
        const auto has_parked = [](const worker_statistics& each) { return each.parks > 0; };
        return std::all_of(all.begin(), all.end(), has_parked) &&
               workers.front().sleep.all_asleep();
    });
}

} // namespace weft::test
