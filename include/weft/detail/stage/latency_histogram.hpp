// Counts of durations, in classes that are at most an eighth wide.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// Durations in ticks. Several threads may add at once; then now and then one is not counted, which
/// no quantile notices.
class latency_histogram {
public:
    void add(std::uint64_t ticks, std::uint64_t count = 1) noexcept {
        auto& each = counts_[class_of(ticks)];
        each.store(each.load(sync::relaxed) + count, sync::relaxed);
        std::uint64_t before = longest_.load(sync::relaxed);
        while (before < ticks &&
               !longest_.compare_exchange_weak(before, ticks, sync::relaxed, sync::relaxed)) {
        }
    }
    [[nodiscard]] std::uint64_t longest() const noexcept { return longest_.load(sync::relaxed); }
    /// The duration that `part` of all are not longer than, rounded up to the end of its class.
    [[nodiscard]] std::uint64_t quantile(double part) const noexcept {
        std::uint64_t sum = 0;
        for (const auto& each : counts_) sum += each.load(sync::relaxed);
        if (sum == 0) return 0;
        const auto wanted = static_cast<double>(sum) * part;
        std::uint64_t before = 0;
        for (std::size_t i = 0; i < classes; ++i) {
            before += counts_[i].load(sync::relaxed);
            if (static_cast<double>(before) >= wanted) return std::min(end_of(i), longest());
        }
        return longest();
    }

private:
    static constexpr unsigned digits = 3; // an octave has eight classes
    static constexpr std::size_t in_octave = std::size_t{1} << digits;
    static constexpr unsigned octaves = 42; // up to about half an hour
    static constexpr std::size_t classes = octaves * in_octave;

    [[nodiscard]] static std::size_t class_of(std::uint64_t ticks) noexcept {
        if (ticks < in_octave) return static_cast<std::size_t>(ticks);
        const auto octave = static_cast<unsigned>(std::bit_width(ticks)) - digits;
        const std::size_t found = octave * in_octave + (ticks >> (octave - 1)) - in_octave;
        return std::min(found, classes - 1);
    }
    [[nodiscard]] static std::uint64_t end_of(std::size_t index) noexcept {
        if (index < in_octave) return index;
        const std::size_t octave = index / in_octave;
        const std::uint64_t first = (index % in_octave + in_octave) << (octave - 1);
        return first + (std::uint64_t{1} << (octave - 1)) - 1;
    }

    std::array<sync::atomic<std::uint64_t>, classes> counts_{};
    sync::atomic<std::uint64_t> longest_{0};
};

/// How long items of a stage wait, and how long they are handled.
struct stage_latencies {
    latency_histogram waits;
    latency_histogram services;
};

} // namespace weft::inline v0::detail
