// What tests of the pool share: ways to bring threads into an order without sleeping.
#pragma once

#include <weft/blocking.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/pool.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace weft::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

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

/// On a worker: lets others have all it has forked, and waits.
inline void await_sharing(const event& what) {
    blocking([&] { what.await(); });
}

/// The same without `blocking`: it goes on to fork, so that hungry workers are answered.
inline void await_forking(const event& what) {
    while (!what.has_happened()) {
        static_cast<void>(fork_join([] {}, [] {}));
        std::this_thread::yield();
    }
}

/// The results of a fork_join whose second callable is certainly run by another worker; for pools of
/// two workers and more.
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
inline std::uint64_t total(const pool& of, std::uint64_t worker_statistics::* which) {
    std::uint64_t sum = 0;
    for (const worker_statistics& each : of.statistics()) sum += each.*which;
    return sum;
}

} // namespace weft::test
