#include <weft/lab/analysis.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <utility>

namespace weft::inline v0::petri {

namespace {

constexpr std::size_t most_named = 20;

/// Tarjan's algorithm without recursion. Components are numbered so that arcs lead to equal or
/// smaller numbers.
class components {
public:
    explicit components(const state_space& space)
        : space_{&space}, order_(space.markings(), 0), low_(space.markings(), 0),
          component_(space.markings(), unassigned) {
        for (std::uint32_t root = 0; root != space.markings(); ++root) {
            if (order_[root] == 0) search(root);
        }
    }

    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint32_t component(std::uint32_t number) const { return component_[number]; }
    [[nodiscard]] bool has_cycle() const { return has_cycle_; }

private:
    static constexpr std::uint32_t unassigned = std::numeric_limits<std::uint32_t>::max();

    struct visit {
        std::uint32_t number;
        std::uint32_t next_arc;
    };

    void enter(std::uint32_t number) {
        order_[number] = low_[number] = ++last_order_;
        pending_.push_back(number);
        way_.push_back({number, 0});
    }

    void search(std::uint32_t root) {
        enter(root);
        while (!way_.empty()) {
            visit& current = way_.back();
            const auto targets = space_->targets(current.number);
            if (current.next_arc == targets.size()) {
                leave();
                continue;
            }
            const std::uint32_t target = targets[current.next_arc++];
            if (target == current.number) has_cycle_ = true;
            if (order_[target] == 0) enter(target);
            else if (component_[target] == unassigned) {
                low_[current.number] = std::min(low_[current.number], order_[target]);
            }
        }
    }

    void leave() {
        const std::uint32_t number = way_.back().number;
        way_.pop_back();
        if (!way_.empty()) {
            low_[way_.back().number] = std::min(low_[way_.back().number], low_[number]);
        }
        if (low_[number] != order_[number]) return;
        if (pending_.back() != number) has_cycle_ = true;
        std::uint32_t member = unassigned;
        do {
            member = pending_.back();
            pending_.pop_back();
            component_[member] = count_;
        } while (member != number);
        ++count_;
    }

    const state_space* space_;
    std::vector<std::uint32_t> order_; // 0: not seen
    std::vector<std::uint32_t> low_;
    std::vector<std::uint32_t> component_;
    std::vector<std::uint32_t> pending_;
    std::vector<visit> way_;
    std::uint32_t last_order_ = 0;
    std::uint32_t count_ = 0;
    bool has_cycle_ = false;
};

multiset_bounds bounds_between(const bag_table& bags, const std::vector<content>& contents) {
    struct range {
        std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t most = 0;
        std::size_t occurrences = 0; // the number of contents with this colour
    };
    std::map<colour_id, range> ranges;
    counted room{};
    for (const content each : contents) {
        for (const auto [colour, count] : bags.elements(each, room)) {
            range& counts = ranges[colour];
            counts = {std::min(counts.least, count), std::max(counts.most, count),
                      counts.occurrences + 1};
        }
    }
    multiset_bounds found;
    for (const auto& [colour, counts] : ranges) {
        found.most.push_back({colour, counts.most});
        if (counts.occurrences == contents.size()) found.least.push_back({colour, counts.least});
    }
    return found;
}

void widen(bounds& all, std::uint64_t value) {
    all = {std::min(all.least, value), std::max(all.most, value)};
}

/// For places with colours, only the distinct contents are evaluated, which are far fewer than the
/// markings.
void find_bounds(const state_space& space, report& result) {
    const net& net = space.net();
    const std::size_t places = net.places().size();
    result.place_bounds.assign(places, {std::numeric_limits<std::uint64_t>::max(), 0});
    result.place_multisets.resize(places);
    std::vector<std::vector<bool>> seen(places);
    std::vector<std::vector<content>> contents(places);
    marking each;
    for (std::uint32_t number = 0; number != space.markings(); ++number) {
        space.get(number, each);
        for (place_index place = 0; place != places; ++place) {
            const content held = each[place];
            if (net.places()[place].is_plain()) {
                widen(result.place_bounds[place], held);
                continue;
            }
            if (held >= seen[place].size()) seen[place].resize(std::size_t{held} * 2 + 64);
            if (seen[place][held]) continue;
            seen[place][held] = true;
            contents[place].push_back(held);
            widen(result.place_bounds[place], net.count(place, held));
        }
    }
    for (place_index place = 0; place != places; ++place) {
        result.place_multisets[place] = bounds_between(net.bags(), contents[place]);
    }
}

/// Finds home markings and live transitions by the components that cannot be left.
void find_terminal(const state_space& space, const components& parts, report& result) {
    std::vector<bool> terminal(parts.count(), true);
    for (std::uint32_t number = 0; number != space.markings(); ++number) {
        for (const std::uint32_t target : space.targets(number)) {
            if (parts.component(target) != parts.component(number))
                terminal[parts.component(number)] = false;
        }
    }
    result.terminal_components = static_cast<std::uint64_t>(std::ranges::count(terminal, true));
    // The number of terminal components in which each transition fires. The components are visited
    // one by one.
    std::vector<std::uint32_t> members;
    for (std::uint32_t number = 0; number != space.markings(); ++number) {
        if (terminal[parts.component(number)]) members.push_back(number);
    }
    std::ranges::sort(members, {},
                      [&](std::uint32_t each) { return std::pair{parts.component(each), each}; });
    const std::size_t transitions = space.net().transitions().size();
    std::vector<std::uint64_t> occurs_in(transitions, 0);
    std::vector<std::uint32_t> last_in(transitions, std::numeric_limits<std::uint32_t>::max());
    for (const std::uint32_t number : members) {
        for (const std::uint16_t transition : space.transitions(number)) {
            if (last_in[transition] == parts.component(number)) continue;
            last_in[transition] = parts.component(number);
            ++occurs_in[transition];
        }
    }
    for (transition_index transition = 0; transition != transitions; ++transition) {
        if (occurs_in[transition] == result.terminal_components)
            result.live_transitions.push_back(transition);
    }
    if (result.terminal_components != 1) return;
    result.home_markings = members.size();
    result.some_home.assign(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                   members.size(), most_named)));
}

void find_dead(const state_space& space, report& result) {
    std::vector<bool> occurs(space.net().transitions().size(), false);
    for (std::uint32_t number = 0; number != space.markings(); ++number) {
        if (space.targets(number).empty()) result.dead_markings.push_back(number);
        for (const std::uint16_t transition : space.transitions(number)) occurs[transition] = true;
    }
    for (transition_index transition = 0; transition != occurs.size(); ++transition) {
        if (!occurs[transition]) result.dead_transitions.push_back(transition);
    }
}

std::string names(const net& net, const std::vector<transition_index>& some) {
    std::string text;
    for (std::size_t each = 0; each != some.size() && each != most_named; ++each) {
        text += (text.empty() ? "" : ", ") + net.transitions()[some[each]].name;
    }
    if (some.size() > most_named) text += ", …";
    if (some.empty()) return "none";
    if (some.size() == net.transitions().size()) return "all";
    return text;
}

std::string some_of(const net& net, place_index place, std::span<const counted> tokens) {
    std::string text = net.multiset_text(place, tokens.first(std::min(tokens.size(), most_named)));
    if (tokens.size() <= most_named) return text;
    return text + " + …, of " + std::to_string(tokens.size()) + " distinct tokens";
}

std::string numbers(const std::vector<std::uint32_t>& some, std::uint64_t all) {
    std::string text;
    for (std::size_t each = 0; each != some.size() && each != most_named; ++each) {
        text += (text.empty() ? "" : ", ") + std::to_string(some[each]);
    }
    if (all > most_named) text += ", …";
    return all == 0 ? "none" : std::to_string(all) + " (" + text + ")";
}

} // namespace

report analyse(const state_space& space) {
    if (!space.complete()) {
        throw error{fault::bad_net, "the state space is not complete: " + space.reason()};
    }
    report result{.markings = space.markings(), .arcs = space.arcs()};
    const components parts{space};
    result.components = parts.count();
    result.acyclic = !parts.has_cycle();
    find_bounds(space, result);
    find_terminal(space, parts, result);
    find_dead(space, result);
    return result;
}

bounds bounds_of(const state_space& space,
                 const std::function<std::uint64_t(const marking_view&)>& number) {
    bounds found{std::numeric_limits<std::uint64_t>::max(), 0};
    marking each;
    for (std::uint32_t index = 0; index != space.markings(); ++index) {
        space.get(index, each);
        const std::uint64_t value = number(marking_view{space.net(), each});
        found = {std::min(found.least, value), std::max(found.most, value)};
    }
    return found;
}

std::string report_text(const state_space& space, const report& result) {
    const net& net = space.net();
    std::ostringstream text;
    text << "markings              " << result.markings << "\narcs                  " << result.arcs
         << "\nstrong components     " << result.components << (result.acyclic ? " (no cycle)" : "")
         << "\nhome markings         " << numbers(result.some_home, result.home_markings)
         << "\ndead markings         " << numbers(result.dead_markings, result.dead_markings.size())
         << "\ndead transitions      " << names(net, result.dead_transitions)
         << "\nlive transitions      " << names(net, result.live_transitions) << "\nbounds\n";
    for (place_index each = 0; each != net.places().size(); ++each) {
        const auto [least, most] = result.place_bounds[each];
        text << "  " << net.places()[each].name << "  " << least << " to " << most << '\n';
        if (net.places()[each].is_plain()) continue;
        const multiset_bounds& of_each = result.place_multisets[each];
        text << "    at most   " << some_of(net, each, of_each.most) << "\n    at least  "
             << some_of(net, each, of_each.least) << '\n';
    }
    return text.str();
}

} // namespace weft::inline v0::petri
