// Ten thousand sources of events, as of market data. Each has news now and then, at moments that a clock gives, but for
// one, which has news a million times a second. Whoever handles a source handles all that is new, in a microsecond,
// and is never beside itself; the noisy one takes five. How long do the quiet ones wait?
#pragma once

#include "acts/act.hpp"
#include "acts/stopwatch.hpp"

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

/// What is known of each source.
struct alignas(64) source {
    std::atomic<std::int64_t> news_since{0}; // 0: there are none
    std::atomic<bool> handled_now{false};
    std::vector<std::int64_t> waits; // nanoseconds, written by who handles it
    std::atomic<std::int64_t> runs{0};
};

class market {
public:
    market() : sources_{std::make_unique<source[]>(sources)} {}

    /// The clock: `signal(source)` for each that has news, for as long as the act lasts.
    template <class Signal>
    void run(const settings& how, Signal signal) {
        const auto ticks = how.choose(1'000, 250);
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

    /// By whoever handles a source.
    void handle(std::size_t which) {
        source& mine = sources_[which];
        if (mine.handled_now.exchange(true, std::memory_order_relaxed)) beside_itself_ = true;
        const std::int64_t since = mine.news_since.exchange(0);
        if (since != 0 && which != noisy) mine.waits.push_back(now_in_nanoseconds() - since);
        compute_for(which == noisy ? 5'000 : 1'000);
        mine.runs.store(mine.runs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        mine.handled_now.store(false, std::memory_order_relaxed);
    }

    /// When nobody handles any more. Who has not been handled has waited until the clock ended.
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
        const auto at = [&](double part) {
            if (waits.empty()) return 0.0;
            return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
        };
        outcome told{{{"wait_p99", at(0.99), "µs"},
                      {"wait_median", at(0.5), "µs"},
                      {"wait_max", at(1), "µs"},
                      {"unanswered", static_cast<double>(unanswered), ""},
                      {"quiet_runs", static_cast<double>(quiet_runs), ""},
                      {"noisy_runs", static_cast<double>(sources_[noisy].runs.load()), ""}},
                     {{"no source was handled beside itself", !beside_itself_.load()}},
                     {{"waits", {}}}};
        for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1.0}) {
            told.curves.front().points.emplace_back(part, at(part));
        }
        return told;
    }

private:
    template <class Signal>
    void bring_news(std::size_t which, Signal& signal) {
        std::int64_t none = 0;
        sources_[which].news_since.compare_exchange_strong(none, now_in_nanoseconds());
        signal(which);
    }

    std::unique_ptr<source[]> sources_;
    std::atomic<bool> beside_itself_{false};
    std::int64_t ended_at_ = 0;
};

} // namespace weft::demo::contracts
