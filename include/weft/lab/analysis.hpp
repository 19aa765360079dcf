// A report on a net from its complete state space.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/state_space.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

/// The lowest and the highest of some numbers.
struct bounds {
    /// The lowest.
    std::uint64_t least = 0;
    /// The highest.
    std::uint64_t most = 0;

    friend bool operator==(const bounds&, const bounds&) = default;
};

/// For each token, its lowest and its highest count in any marking. `least` is the largest multiset
/// that the place contains in all markings; `most` is the smallest that contains all of its
/// contents.
struct multiset_bounds {
    /// The tokens that are there in every marking.
    std::vector<counted> least{};
    /// The fewest tokens that contain the place's tokens in every marking.
    std::vector<counted> most{};
};

/// What a complete state space says of its net; with the contents of a report of CPN Tools.
struct report {
    /// The number of markings.
    std::uint64_t markings = 0;
    /// The number of firings between them.
    std::uint64_t arcs = 0;
    /// The number of strongly connected components.
    std::uint64_t components = 0;
    /// Of these, the number that cannot be left.
    std::uint64_t terminal_components = 0;
    /// Whether no marking can be reached again.
    bool acyclic = false;
    /// For each place, the lowest and the highest number of its tokens.
    std::vector<bounds> place_bounds{};
    /// For each place its multiset bounds; empty for places of plain tokens.
    std::vector<multiset_bounds> place_multisets{};
    /// The markings in which nothing is enabled.
    std::vector<std::uint32_t> dead_markings{};
    /// The number of markings that can be reached from every marking.
    std::uint64_t home_markings = 0;
    /// The first of them.
    std::vector<std::uint32_t> some_home{};
    /// The transitions that never fire.
    std::vector<transition_index> dead_transitions{};
    /// The transitions that can always fire again.
    std::vector<transition_index> live_transitions{};

    /// Whether some marking can be reached from every marking.
    [[nodiscard]] bool has_home() const { return home_markings != 0; }
};

/// Throws an error if the state space is not complete.
[[nodiscard]] WEFT_API report analyse(const state_space& space);
/// The report as lines of text.
[[nodiscard]] WEFT_API std::string report_text(const state_space& space, const report& result);

/// The lowest and the highest value of a function of the marking.
[[nodiscard]] WEFT_API bounds bounds_of(
    const state_space& space, const std::function<std::uint64_t(const marking_view&)>& number);

} // namespace weft::inline v0::petri
