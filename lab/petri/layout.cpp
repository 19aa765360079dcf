#include "petri/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace weft::inline v0::petri {

namespace {

constexpr double column_width = 150;
constexpr double row_height = 80;
constexpr double margin = 70;

/// The columns and rows of a graph whose nodes are the places, then the transitions.
class columns {
public:
    explicit columns(const net& net)
        : net_{&net}, neighbours_(node_count()), column_(node_count(), unknown) {
        for (const drawn_arc& each : drawn_arcs(net)) {
            neighbours_[each.place].push_back(transition_node(each.transition));
            neighbours_[transition_node(each.transition)].push_back(each.place);
        }
        spread_from_marked();
        make_rows();
    }

    [[nodiscard]] point position(std::size_t node) const {
        return {margin + column_width * static_cast<double>(column_[node]),
                margin + row_height * row_[node]};
    }
    [[nodiscard]] std::size_t transition_node(std::size_t transition) const {
        return net_->places().size() + transition;
    }

private:
    static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] std::size_t node_count() const {
        return net_->places().size() + net_->transitions().size();
    }

    void spread_from_marked() {
        std::vector<std::size_t> ahead;
        const auto begin = [&](std::size_t node) {
            if (column_[node] != unknown) return;
            column_[node] = 0;
            ahead.push_back(node);
        };
        for (std::size_t place = 0; place != net_->places().size(); ++place) {
            if (net_->initial()[place] != 0) begin(place);
        }
        for (std::size_t next = 0, rest = 0; next != ahead.size() || rest != node_count();) {
            if (next == ahead.size()) {
                begin(rest++);
                continue;
            }
            const std::size_t node = ahead[next++];
            for (const std::size_t neighbour : neighbours_[node]) {
                if (column_[neighbour] != unknown) continue;
                column_[neighbour] = column_[node] + 1;
                ahead.push_back(neighbour);
            }
        }
    }

    /// Orders each column by the mean row of the neighbours, a few times.
    void make_rows() {
        row_.assign(node_count(), 0);
        std::map<std::size_t, std::vector<std::size_t>> members;
        for (std::size_t node = 0; node != node_count(); ++node)
            members[column_[node]].push_back(node);
        for (auto& [column, nodes] : members) number(nodes);
        for (int round = 0; round != 4; ++round) {
            for (auto& [column, nodes] : members) {
                std::vector<std::pair<double, std::size_t>> wanted;
                for (const std::size_t node : nodes) wanted.emplace_back(mean_row(node), node);
                std::ranges::sort(wanted);
                std::ranges::transform(wanted, nodes.begin(),
                                       &std::pair<double, std::size_t>::second);
                number(nodes);
            }
        }
    }

    void number(const std::vector<std::size_t>& nodes) {
        for (std::size_t each = 0; each != nodes.size(); ++each)
            row_[nodes[each]] = static_cast<double>(each);
    }

    [[nodiscard]] double mean_row(std::size_t node) const {
        const auto& all = neighbours_[node];
        if (all.empty()) return row_[node];
        const double sum =
            std::accumulate(all.begin(), all.end(), 0.0,
                            [&](double so_far, std::size_t each) { return so_far + row_[each]; });
        return sum / static_cast<double>(all.size());
    }

    const net* net_;
    std::vector<std::vector<std::size_t>> neighbours_;
    std::vector<std::size_t> column_;
    std::vector<double> row_;
};

} // namespace

std::vector<drawn_arc> drawn_arcs(const net& net) {
    std::vector<drawn_arc> arcs;
    for (transition_index transition = 0; transition != net.transitions().size(); ++transition) {
        std::map<place_index, drawn_arc> connected;
        const auto arc_to = [&](place_index place) -> drawn_arc& {
            drawn_arc& arc = connected[place];
            arc.place = place;
            arc.transition = transition;
            return arc;
        };
        for (const clause& each : net.transitions()[transition].clauses) {
            if (each.kind == clause_kind::guard) continue;
            drawn_arc& arc = arc_to(each.place);
            arc.weight = std::max(arc.weight, each.count);
            if (each.kind == clause_kind::inhibit) arc.inhibits = true;
            else if (each.kind == clause_kind::bind_read ||
                     each.kind == clause_kind::computed_read ||
                     each.kind == clause_kind::count_read) {
                arc.reads = true;
            } else arc.into_transition = true;
        }
        for (const output& each : net.transitions()[transition].outputs) {
            drawn_arc& arc = arc_to(each.place);
            arc.out_of_transition = true;
            arc.weight = std::max(arc.weight, each.count);
        }
        for (const auto& [place, arc] : connected) arcs.push_back(arc);
    }
    return arcs;
}

layout lay_out(const net& net) {
    const columns found{net};
    layout made;
    const auto take = [&](point position) {
        made.width = std::max(made.width, position.x + margin);
        made.height = std::max(made.height, position.y + margin);
        return position;
    };
    for (std::size_t each = 0; each != net.places().size(); ++each) {
        made.places.push_back(take(net.places()[each].drawn_at.value_or(found.position(each))));
    }
    for (std::size_t each = 0; each != net.transitions().size(); ++each) {
        const point free = found.position(found.transition_node(each));
        made.transitions.push_back(take(net.transitions()[each].drawn_at.value_or(free)));
    }
    return made;
}

} // namespace weft::inline v0::petri
