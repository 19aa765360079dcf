#include "petri/plain_rules.hpp"

#include <map>

namespace weft::inline v0::petri {

plain_rule rule_of(const transition_data& transition) {
    plain_rule rule;
    std::map<place_index, std::uint64_t> needed;
    std::map<place_index, std::int64_t> changed;
    for (const clause& each : transition.clauses) {
        if (each.kind == clause_kind::inhibit) {
            rule.limits.push_back({each.place, each.count});
            continue;
        }
        std::int64_t& change = changed[each.place];
        auto& at_least = needed[each.place];
        at_least = std::max(at_least, static_cast<std::uint64_t>(each.count - change));
        if (each.kind == clause_kind::count_take) change -= each.count;
    }
    for (const output& each : transition.outputs) changed[each.place] += each.count;
    for (const auto& [place, count] : needed) rule.needs.push_back({place, count});
    for (const auto& [place, difference] : changed) {
        if (difference != 0) rule.changes.push_back({place, difference});
    }
    return rule;
}

std::vector<plain_rule> rules_of(const net& net) {
    std::vector<plain_rule> rules;
    for (const transition_data& each : net.transitions()) rules.push_back(rule_of(each));
    return rules;
}

} // namespace weft::inline v0::petri
