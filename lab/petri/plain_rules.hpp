// Transitions of plain tokens as tables of numbers.
#pragma once

#include <weft/lab/net.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::inline v0::petri {

/// The needs and changes of one transition. The frequent operations on plain nets use these tables.
struct plain_rule {
    struct need {
        place_index place;
        std::uint64_t count;
    };
    struct change {
        place_index place;
        std::int64_t difference;
    };
    std::vector<need> needs;  // at least `count` tokens
    std::vector<need> limits; // fewer than `count` tokens
    std::vector<change> changes;

    [[nodiscard]] bool is_enabled(std::span<const content> now) const {
        for (const need& each : needs) {
            if (now[each.place] < each.count) return false;
        }
        return std::ranges::all_of(limits,
                                   [&](const need& each) { return now[each.place] < each.count; });
    }
};

/// The rule of a transition of plain tokens.
[[nodiscard]] plain_rule rule_of(const transition_data& transition);
/// The rules of all transitions of a plain net.
[[nodiscard]] std::vector<plain_rule> rules_of(const net& net);

} // namespace weft::inline v0::petri
