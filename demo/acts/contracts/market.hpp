// Ten thousand sources of events, such as market data. Each has an event at regular times, except
// one, which has a million a second. A handler handles all new events of its source in a
// microsecond, those of the noisy one in five, and never runs concurrently with itself. How long do
// the quiet sources wait?
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace weft::demo::contracts {

inline constexpr std::size_t sources = 10'000;
inline constexpr std::size_t noisy = 0;
inline constexpr std::size_t noise_of_a_tick = 1'000;
inline constexpr std::size_t quiet_of_a_tick = 100;
inline constexpr std::chrono::milliseconds tick{1};

/// The state of a source.
struct alignas(64) source {
    std::atomic<std::int64_t> news_since{0}; // 0: no news
    std::atomic<bool> handled_now{false};
    std::vector<std::int64_t> waits; // in nanoseconds, written by the handler
    std::atomic<std::int64_t> runs{0};
};

class market {
public:
    market() : sources_{std::make_unique<source[]>(sources)} {}

    /// The clock: calls `signal(source)` for each source with news, until the act ends.
    template <class Signal>
    void run(const settings& settings, Signal signal) {
        const auto ticks = settings.choose(1'000, 250);
        auto next_time = std::chrono::steady_clock::now();
        std::size_t next = 1;
        for (int each = 0; each != ticks; ++each) {
            for (std::size_t i = 0; i != noise_of_a_tick; ++i) bring_news(noisy, signal);
            for (std::size_t i = 0; i != quiet_of_a_tick; ++i) {
                bring_news(next, signal);
                next = next + 1 == sources ? 1 : next + 1;
            }
            next_time += tick;
            std::this_thread::sleep_until(next_time);
        }
        ended_at_ = now_in_nanoseconds();
    }

    /// The handler of a source.
    void handle(std::size_t index) {
        source& handled = sources_[index];
        if (handled.handled_now.exchange(true, std::memory_order_relaxed)) overlapped_ = true;
        const std::int64_t since = handled.news_since.exchange(0);
        if (since != 0 && index != noisy) handled.waits.push_back(now_in_nanoseconds() - since);
        compute_for(index == noisy ? 5'000 : 1'000);
        handled.runs.store(handled.runs.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
        handled.handled_now.store(false, std::memory_order_relaxed);
    }

    /// After the last handler has ended. News that were not handled have waited until the end of
    /// the clock.
    [[nodiscard]] outcome close() const {
        std::vector<double> waits;
        std::int64_t unanswered = 0;
        std::int64_t quiet_runs = 0;
        for (std::size_t each = 0; each != sources; ++each) {
            const source& one = sources_[each];
            if (each == noisy) continue;
            for (const std::int64_t wait : one.waits)
                waits.push_back(static_cast<double>(wait) / 1e3);
            quiet_runs += one.runs.load();
            const std::int64_t since = one.news_since.load();
            if (since == 0) continue;
            ++unanswered;
            waits.push_back(static_cast<double>(std::max<std::int64_t>(ended_at_ - since, 0)) /
                            1e3);
        }
        std::ranges::sort(waits);
        const auto quantile = [&](double part) {
            if (waits.empty()) return 0.0;
            return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
        };
        outcome result{{{"wait_p99", quantile(0.99), "µs"},
                        {"wait_median", quantile(0.5), "µs"},
                        {"wait_max", quantile(1), "µs"},
                        {"unanswered", static_cast<double>(unanswered), ""},
                        {"quiet_runs", static_cast<double>(quiet_runs), ""},
                        {"noisy_runs", static_cast<double>(sources_[noisy].runs.load()), ""}},
                       {{"no handler ran concurrently with itself", !overlapped_.load()}},
                       {{"waits", {}}}};
        for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1.0}) {
            result.curves.front().points.emplace_back(part, quantile(part));
        }
        return result;
    }

private:
    template <class Signal>
    void bring_news(std::size_t index, Signal& signal) {
        std::int64_t none = 0;
        sources_[index].news_since.compare_exchange_strong(none, now_in_nanoseconds());
        signal(index);
    }

    std::unique_ptr<source[]> sources_;
    std::atomic<bool> overlapped_{false};
    std::int64_t ended_at_ = 0;
};

} // namespace weft::demo::contracts
