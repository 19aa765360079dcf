// Counts changes that take several steps, so that a thread can ask whether one is under way.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>
#include <optional>

namespace weft::inline v0::detail {

/// Counts changes from their beginning to their end.
///
/// | operation  | caller                  | progress  |
/// |------------|-------------------------|-----------|
/// | begin, end | the thread that changes | wait-free |
/// | idle_since | any thread              | wait-free |
///
/// Invariant: a thread that has seen a step of a change, and asks afterwards, learns that the
/// change is under way or gets a number different from the one before it. The steps are releases,
/// and the thread that sees one acquires.
class change_count {
public:
    void begin() noexcept { word_.fetch_add(begun + 1, sync::relaxed); } // the steps release it
    void end() noexcept { word_.fetch_sub(1, sync::release); } // pairs with idle_since() [CHANGE-1]

    /// A number that grows with each change, or nothing while one is under way. A caller that
    /// learns from it that a change has ended sees what came before that.
    [[nodiscard]] std::optional<std::uint64_t> idle_since() const noexcept {
        const std::uint64_t word = word_.load(sync::acquire); // pairs with end() [CHANGE-2]
        if (word % begun != 0) return std::nullopt;
        return word;
    }

private:
    static constexpr std::uint64_t begun = std::uint64_t{1} << 16; // below it: changes under way
    sync::atomic<std::uint64_t> word_{0};
};

} // namespace weft::inline v0::detail
