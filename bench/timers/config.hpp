// Timers: what it costs to move one while many are pending, to cancel one that another thread has
// started, and to fire many that are due together; and how late a timer is where nothing else runs.
#pragma once

#include "latency/config.hpp"
#include "runner/workload.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace bench::timers {

using clock = std::chrono::steady_clock;

/// Random numbers that are made before anything is timed.
struct moves {
    std::vector<std::uint32_t> index;
    std::vector<clock::time_point> deadline; // 1 to 100 s ahead

    moves(std::size_t live, std::size_t count) {
        std::mt19937_64 random{1};
        const auto now = clock::now();
        for (std::size_t i = 0; i != count; ++i) {
            index.push_back(static_cast<std::uint32_t>(random() % live));
            deadline.push_back(now +
                               std::chrono::nanoseconds{1'000'000'000 + random() % 99'000'000'000});
        }
    }
    [[nodiscard]] clock::time_point first(std::size_t timer) const {
        return deadline[timer % deadline.size()];
    }
};

inline constexpr std::size_t move_count = 500'000;
inline constexpr std::size_t cancel_count = 100'000;
inline constexpr std::size_t fire_count = 100'000;
inline constexpr std::size_t late_count = 400;
inline constexpr std::chrono::milliseconds delay{1};

inline double since(clock::time_point start, std::size_t count) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count() /
           static_cast<double>(count);
}

/// When the first and the last of many callables ran.
class fired_span {
public:
    void note() {
        if (runs_.load(std::memory_order_relaxed) == 0) first_ = clock::now();
        if (runs_.fetch_add(1, std::memory_order_relaxed) + 1 == fire_count) {
            last_ = clock::now();
            done_.store(true, std::memory_order_release);
        }
    }
    double wait() const {
        while (!done_.load(std::memory_order_acquire)) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        return std::chrono::duration<double, std::nano>(last_ - first_).count() / fire_count;
    }

private:
    std::atomic<std::size_t> runs_{0};
    clock::time_point first_;
    clock::time_point last_;
    std::atomic<bool> done_{false};
};

inline std::vector<sample> lateness(std::vector<double> late) {
    return {{"late_median", latency::quantile(late, 0.5), "us"},
            {"late_p99", latency::quantile(late, 0.99), "us"}};
}

/// Library has, as static members, `double move(const moves&, std::size_t live)`, and the same with
/// a delay instead of a deadline, which reads the clock: `move_after`; `double cancel()` and
/// `double fire()`, all in ns; and `std::vector<double> late(std::size_t threads)` in us.
template <class Library>
std::vector<contestant> contestants(const request& request) {
    std::vector<contestant> made;
    for (const std::size_t live :
         {std::size_t{1'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
        const auto moving = [&](const char* name, double (*move)(const moves&, std::size_t)) {
            made.push_back(
                {{{"operation", std::string{name}}, {"live", static_cast<std::int64_t>(live)}},
                 {},
                 [live, move]() -> std::vector<sample> {
                     return {{"ns_per_operation", move(moves{live, move_count}, live), "ns"}};
                 }});
        };
        moving("move-to-time", Library::move);
        moving("move-by-delay", Library::move_after);
    }
    if constexpr (requires { Library::fire(); }) {
        made.push_back({{{"operation", std::string{"cancel-by-another"}},
                         {"live", static_cast<std::int64_t>(cancel_count)}},
                        {},
                        []() -> std::vector<sample> {
                            return {{"ns_per_operation", Library::cancel(), "ns"}};
                        }});
        made.push_back(
            {{{"operation", std::string{"fire"}}, {"live", static_cast<std::int64_t>(fire_count)}},
             {},
             []() -> std::vector<sample> {
                 return {{"ns_per_operation", Library::fire(), "ns"}};
             }});
        made.push_back({{{"operation", std::string{"wait-1-ms"}}, {"live", std::int64_t{1}}},
                        {},
                        [threads = request.threads] { return lateness(Library::late(threads)); }});
    }
    return made;
}

} // namespace bench::timers
