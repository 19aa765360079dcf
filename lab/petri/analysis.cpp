#include "petri/analysis.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <utility>

namespace weft::petri {

namespace {

constexpr std::size_t most_named = 20;

/// Tarjan's algorithm without recursion. Components are numbered so that arcs lead to equal or smaller numbers.
class components {
public:
    explicit components(const state_space& of)
        : space_{&of}, order_(of.markings(), 0), low_(of.markings(), 0),
          component_(of.markings(), unassigned) {
        for (std::uint32_t root = 0; root != of.markings(); ++root) {
            if (order_[root] == 0) search(root);
        }
    }

    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint32_t of(std::uint32_t number) const { return component_[number]; }
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
            visit& here = way_.back();
            const auto targets = space_->targets(here.number);
            if (here.next_arc == targets.size()) {
                leave();
                continue;
            }
            const std::uint32_t target = targets[here.next_arc++];
            if (target == here.number) has_cycle_ = true;
            if (order_[target] == 0) enter(target);
            else if (component_[target] == unassigned) {
                low_[here.number] = std::min(low_[here.number], order_[target]);
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
        std::size_t in = 0; // how many of the contents
    };
    std::map<colour_id, range> ranges;
    counted room{};
    for (const content each : contents) {
        for (const auto [colour, count] : bags.elements(each, room)) {
            range& of = ranges[colour];
            of = {std::min(of.least, count), std::max(of.most, count), of.in + 1};
        }
    }
    multiset_bounds found;
    for (const auto& [colour, of] : ranges) {
        found.most.push_back({colour, of.most});
        if (of.in == contents.size()) found.least.push_back({colour, of.least});
    }
    return found;
}

void widen(bounds& all, std::uint64_t by) {
    all = {std::min(all.least, by), std::max(all.most, by)};
}

/// Of places with colours the different contents are looked at, which are far fewer than markings.
void find_bounds(const state_space& of, report& about) {
    const net& net = of.of();
    const std::size_t places = net.places().size();
    about.place_bounds.assign(places, {std::numeric_limits<std::uint64_t>::max(), 0});
    about.place_multisets.resize(places);
    std::vector<std::vector<bool>> seen(places);
    std::vector<std::vector<content>> contents(places);
    marking each;
    for (std::uint32_t number = 0; number != of.markings(); ++number) {
        of.get(number, each);
        for (place_index place = 0; place != places; ++place) {
            const content here = each[place];
            if (net.places()[place].is_plain()) {
                widen(about.place_bounds[place], here);
                continue;
            }
            if (here >= seen[place].size()) seen[place].resize(std::size_t{here} * 2 + 64);
            if (seen[place][here]) continue;
            seen[place][here] = true;
            contents[place].push_back(here);
            widen(about.place_bounds[place], net.count(place, here));
        }
    }
    for (place_index place = 0; place != places; ++place) {
        about.place_multisets[place] = bounds_between(net.bags(), contents[place]);
    }
}

/// What happens within components that cannot be left: home markings and live transitions follow.
void find_terminal(const state_space& of, const components& parts, report& about) {
    std::vector<bool> terminal(parts.count(), true);
    for (std::uint32_t number = 0; number != of.markings(); ++number) {
        for (const std::uint32_t target : of.targets(number)) {
            if (parts.of(target) != parts.of(number)) terminal[parts.of(number)] = false;
        }
    }
    about.terminal_components = static_cast<std::uint64_t>(std::ranges::count(terminal, true));
    // In how many terminal components each transition occurs. They are visited one after the other.
    std::vector<std::uint32_t> members;
    for (std::uint32_t number = 0; number != of.markings(); ++number) {
        if (terminal[parts.of(number)]) members.push_back(number);
    }
    std::ranges::sort(members, {},
                      [&](std::uint32_t each) { return std::pair{parts.of(each), each}; });
    const std::size_t transitions = of.of().transitions().size();
    std::vector<std::uint64_t> occurs_in(transitions, 0);
    std::vector<std::uint32_t> last_in(transitions, std::numeric_limits<std::uint32_t>::max());
    for (const std::uint32_t number : members) {
        for (const std::uint16_t which : of.transitions(number)) {
            if (last_in[which] == parts.of(number)) continue;
            last_in[which] = parts.of(number);
            ++occurs_in[which];
        }
    }
    for (transition_index which = 0; which != transitions; ++which) {
        if (occurs_in[which] == about.terminal_components) about.live_transitions.push_back(which);
    }
    if (about.terminal_components != 1) return;
    about.home_markings = members.size();
    about.some_home.assign(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  members.size(), most_named)));
}

void find_dead(const state_space& of, report& about) {
    std::vector<bool> occurs(of.of().transitions().size(), false);
    for (std::uint32_t number = 0; number != of.markings(); ++number) {
        if (of.targets(number).empty()) about.dead_markings.push_back(number);
        for (const std::uint16_t which : of.transitions(number)) occurs[which] = true;
    }
    for (transition_index which = 0; which != occurs.size(); ++which) {
        if (!occurs[which]) about.dead_transitions.push_back(which);
    }
}

std::string names(const net& of, const std::vector<transition_index>& some) {
    std::string text;
    for (std::size_t each = 0; each != some.size() && each != most_named; ++each) {
        text += (text.empty() ? "" : ", ") + of.transitions()[some[each]].name;
    }
    if (some.size() > most_named) text += ", …";
    if (some.empty()) return "none";
    if (some.size() == of.transitions().size()) return "all";
    return text;
}

std::string some_of(const net& of, place_index place, std::span<const counted> tokens) {
    std::string text = of.multiset_text(place, tokens.first(std::min(tokens.size(), most_named)));
    if (tokens.size() <= most_named) return text;
    return text + " + …, of " + std::to_string(tokens.size()) + " tokens that differ";
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

report analyse(const state_space& of) {
    if (!of.complete()) {
        throw error{fault::bad_net, "the state space is not complete: " + of.why()};
    }
    report about{.markings = of.markings(), .arcs = of.arcs()};
    const components parts{of};
    about.components = parts.count();
    about.acyclic = !parts.has_cycle();
    find_bounds(of, about);
    find_terminal(of, parts, about);
    find_dead(of, about);
    return about;
}

bounds bounds_of(const state_space& of,
                 const std::function<std::uint64_t(const marking_view&)>& number) {
    bounds found{std::numeric_limits<std::uint64_t>::max(), 0};
    marking each;
    for (std::uint32_t at = 0; at != of.markings(); ++at) {
        of.get(at, each);
        const std::uint64_t value = number(marking_view{of.of(), each});
        found = {std::min(found.least, value), std::max(found.most, value)};
    }
    return found;
}

std::string report_text(const state_space& of, const report& about) {
    const net& net = of.of();
    std::ostringstream text;
    text << "markings              " << about.markings << "\narcs                  " << about.arcs
         << "\nstrong components     " << about.components << (about.acyclic ? " (no cycle)" : "")
         << "\nhome markings         " << numbers(about.some_home, about.home_markings)
         << "\ndead markings         " << numbers(about.dead_markings, about.dead_markings.size())
         << "\ndead transitions      " << names(net, about.dead_transitions)
         << "\nlive transitions      " << names(net, about.live_transitions) << "\nbounds\n";
    for (place_index each = 0; each != net.places().size(); ++each) {
        const auto [least, most] = about.place_bounds[each];
        text << "  " << net.places()[each].name << "  " << least << " to " << most << '\n';
        if (net.places()[each].is_plain()) continue;
        const multiset_bounds& of_each = about.place_multisets[each];
        text << "    at most   " << some_of(net, each, of_each.most) << "\n    at least  "
             << some_of(net, each, of_each.least) << '\n';
    }
    return text.str();
}

} // namespace weft::petri
