// When each thread was inside the body of the loop, for the plot.
#pragma once

#include "acts/act.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::demo::loop {

/// The intervals of one thread, in nanoseconds. Pauses that nobody could see in a plot are part of
/// an interval, but do not count as busy.
class alignas(64) busy_log {
public:
    void add(std::int64_t begin, std::int64_t end) {
        busy_ += end - begin;
        if (!intervals_.empty() && begin - intervals_.back().second < invisible) {
            intervals_.back().second = end;
        } else {
            intervals_.emplace_back(begin, end);
        }
    }
    [[nodiscard]] std::int64_t busy() const { return busy_; }
    [[nodiscard]] const auto& intervals() const { return intervals_; }

private:
    static constexpr std::int64_t invisible = 200'000;
    std::vector<std::pair<std::int64_t, std::int64_t>> intervals_;
    std::int64_t busy_ = 0;
};

/// The logs of all threads. A thread that was never in the body has an empty one.
class busy_logs {
public:
    explicit busy_logs(std::size_t threads) : logs_(std::max(threads, most)), threads_{threads} {}

    busy_logs(const busy_logs&) = delete;
    busy_logs& operator=(const busy_logs&) = delete;

    /// That of the calling thread.
    busy_log& own() {
        thread_local std::pair<const busy_logs*, busy_log*> known;
        if (known.first != this)
            known = {this, &logs_.at(used_.fetch_add(1, std::memory_order_relaxed))};
        return *known.second;
    }
    [[nodiscard]] double busy_share(std::int64_t begin, std::int64_t end) const {
        std::int64_t sum = 0;
        for (const busy_log& each : logs_) sum += each.busy();
        return static_cast<double>(sum) /
               (static_cast<double>(end - begin) * static_cast<double>(threads()));
    }
    /// A curve for each thread: its points are intervals, in seconds since the beginning.
    [[nodiscard]] std::vector<series> curves(std::int64_t begin) const {
        std::vector<series> all;
        for (std::size_t each = 0; each != threads(); ++each) {
            all.push_back({"thread " + std::to_string(each + 1), {}});
            for (const auto& [first, last] : logs_[each].intervals()) {
                all.back().points.emplace_back(static_cast<double>(first - begin) * 1e-9,
                                               static_cast<double>(last - begin) * 1e-9);
            }
        }
        return all;
    }

private:
    /// More than a library could start.
    static constexpr std::size_t most = 256;
    [[nodiscard]] std::size_t threads() const { return std::max(threads_, used_.load()); }

    std::vector<busy_log> logs_;
    std::size_t threads_;
    std::atomic<std::size_t> used_{0};
};

} // namespace weft::demo::loop
