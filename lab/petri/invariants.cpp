#include <weft/lab/invariants.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::inline v0::petri {

namespace {

constexpr std::size_t most_rows = 2000;
constexpr std::size_t most_changes = 1'000'000; // places times transitions
/// The number of pairs of rows that are compared before the search gives up, to limit its time.
constexpr std::size_t most_comparisons = 5'000'000;
/// With larger numbers, combining rows could overflow.
constexpr std::int64_t largest = std::int64_t{1} << 30U;

/// The remaining columns, which must become zero, and the weights of the combination.
struct row {
    std::vector<std::int64_t> rest;
    std::vector<std::int64_t> weights;
};

void reduce(row& reduced) {
    std::int64_t factor = 0;
    for (const std::int64_t each : reduced.weights) factor = std::gcd(factor, each);
    for (const std::int64_t each : reduced.rest) factor = std::gcd(factor, each);
    if (factor <= 1) return;
    for (std::int64_t& each : reduced.weights) each /= factor;
    for (std::int64_t& each : reduced.rest) each /= factor;
}

row combine(const row& first, std::int64_t first_times, const row& second,
            std::int64_t second_times) {
    row sum = first;
    const auto add = [&](std::vector<std::int64_t>& target,
                         const std::vector<std::int64_t>& source) {
        for (std::size_t each = 0; each != target.size(); ++each) {
            target[each] = target[each] * first_times + source[each] * second_times;
        }
    };
    add(sum.rest, second.rest);
    add(sum.weights, second.weights);
    reduce(sum);
    return sum;
}

bool too_large(const row& checked) {
    const auto is_large = [](std::int64_t each) { return each > largest || each < -largest; };
    return std::ranges::any_of(checked.rest, is_large) ||
           std::ranges::any_of(checked.weights, is_large);
}

/// Whether the support of `part` is contained in that of `whole`.
bool within(const row& part, const row& whole) {
    for (std::size_t each = 0; each != part.weights.size(); ++each) {
        if (part.weights[each] != 0 && whole.weights[each] == 0) return false;
    }
    return true;
}

/// Removes rows whose support contains that of another row, because they are sums of smaller ones.
/// Only the new sums, from `first` on, need to be checked.
void keep_minimal(std::vector<row>& rows, std::size_t first) {
    std::vector<bool> minimal(rows.size(), true);
    for (std::size_t each = first; each != rows.size(); ++each) {
        for (std::size_t candidate = 0; minimal[each] && candidate != rows.size(); ++candidate) {
            const bool smaller = candidate != each && within(rows[candidate], rows[each]);
            minimal[each] = !smaller || (within(rows[each], rows[candidate]) && each < candidate);
        }
    }
    std::size_t kept = first;
    for (std::size_t each = first; each != rows.size(); ++each) {
        if (minimal[each]) std::swap(rows[kept++], rows[each]);
    }
    rows.resize(kept);
}

/// Farkas' algorithm: in each column, the rows that are not zero there are replaced by all sums of
/// two rows that are zero there. False if there are too many rows.
bool clear_column(std::vector<row>& rows, std::size_t column, std::size_t& comparisons) {
    std::vector<row> next;
    std::vector<row> above;
    std::vector<row> below;
    for (row& each : rows) {
        const std::int64_t value = each.rest[column];
        (value == 0 ? next : value > 0 ? above : below).push_back(std::move(each));
    }
    const std::size_t first = next.size();
    for (const row& positive : above) {
        for (const row& negative : below) {
            row sum = combine(positive, -negative.rest[column], negative, positive.rest[column]);
            if (too_large(sum) || next.size() >= most_rows * 4) return false;
            next.push_back(std::move(sum));
        }
    }
    rows = std::move(next);
    comparisons += (rows.size() - first) * rows.size();
    if (comparisons > most_comparisons) return false;
    keep_minimal(rows, first);
    return rows.size() <= most_rows;
}

/// The column that creates the fewest new rows.
std::size_t cheapest(const std::vector<row>& rows, const std::vector<bool>& done) {
    std::vector<std::size_t> positive(done.size(), 0);
    std::vector<std::size_t> negative(done.size(), 0);
    for (const row& each : rows) {
        for (std::size_t column = 0; column != done.size(); ++column) {
            positive[column] += each.rest[column] > 0 ? 1 : 0;
            negative[column] += each.rest[column] < 0 ? 1 : 0;
        }
    }
    std::size_t best = done.size();
    std::size_t least = 0;
    for (std::size_t column = 0; column != done.size(); ++column) {
        if (done[column]) continue;
        const std::size_t cost = positive[column] * negative[column];
        if (best == done.size() || cost < least) {
            best = column;
            least = cost;
        }
    }
    return best;
}

invariants solve(std::vector<row> rows, std::size_t columns) {
    if (std::ranges::any_of(rows, too_large)) return {.vectors = {}, .complete = false};
    std::vector<bool> done(columns, false);
    std::size_t comparisons = 0;
    for (std::size_t count = 0; count != columns; ++count) {
        const std::size_t column = cheapest(rows, done);
        done[column] = true;
        if (!clear_column(rows, column, comparisons)) return {.vectors = {}, .complete = false};
    }
    invariants found;
    for (row& each : rows) found.vectors.push_back(std::move(each.weights));
    std::ranges::sort(found.vectors, std::greater{});
    return found;
}

std::vector<std::int64_t> unit(std::size_t size, std::size_t index) {
    std::vector<std::int64_t> vector(size, 0);
    vector[index] = 1;
    return vector;
}

std::string weighted(std::int64_t weight, const std::string& name) {
    return (weight == 1 ? "" : std::to_string(weight) + "·") + name;
}

/// False if the number of tokens moved depends on their colours.
bool add_flow(const transition_data& transition, std::size_t column, flow_matrix& flow) {
    const auto change = [&](place_index place) -> std::int64_t& {
        return flow.changes[place * flow.transitions + column];
    };
    const auto varies = [](const clause& each) { return each.kind == clause_kind::computed_take; };
    if (std::ranges::any_of(transition.clauses, varies) ||
        !std::ranges::all_of(transition.outputs, &output::exact))
        return false;
    for (const clause& each : transition.clauses) {
        if (each.kind == clause_kind::bind_take) change(each.place) -= 1;
        if (each.kind == clause_kind::count_take) change(each.place) -= each.count;
    }
    for (const output& each : transition.outputs) change(each.place) += each.count;
    return true;
}

} // namespace

std::optional<flow_matrix> incidence(const net& net) {
    flow_matrix flow{
        .places = net.places().size(), .transitions = net.transitions().size(), .changes = {}};
    if (flow.places * flow.transitions > most_changes) return {};
    flow.changes.assign(flow.places * flow.transitions, 0);
    for (std::size_t column = 0; column != flow.transitions; ++column) {
        if (!add_flow(net.transitions()[column], column, flow)) return {};
    }
    return flow;
}

invariants place_invariants(const flow_matrix& flow) {
    std::vector<row> rows;
    for (std::size_t place = 0; place != flow.places; ++place) {
        row each{.rest = {}, .weights = unit(flow.places, place)};
        for (std::size_t t = 0; t != flow.transitions; ++t)
            each.rest.push_back(flow.change(place, t));
        rows.push_back(std::move(each));
    }
    return solve(std::move(rows), flow.transitions);
}

invariants transition_invariants(const flow_matrix& flow) {
    std::vector<row> rows;
    for (std::size_t t = 0; t != flow.transitions; ++t) {
        row each{.rest = {}, .weights = unit(flow.transitions, t)};
        for (std::size_t place = 0; place != flow.places; ++place)
            each.rest.push_back(flow.change(place, t));
        rows.push_back(std::move(each));
    }
    return solve(std::move(rows), flow.places);
}

std::string place_invariant_text(const net& net, const std::vector<std::int64_t>& weights) {
    std::string text;
    std::int64_t sum = 0;
    for (place_index each = 0; each != weights.size(); ++each) {
        if (weights[each] == 0) continue;
        if (!text.empty()) text += " + ";
        text += weighted(weights[each], net.places()[each].name);
        sum += weights[each] * static_cast<std::int64_t>(net.count(each, net.initial()[each]));
    }
    return text + " = " + std::to_string(sum);
}

std::string transition_invariant_text(const net& net, const std::vector<std::int64_t>& counts) {
    std::string text;
    for (std::size_t each = 0; each != counts.size(); ++each) {
        if (counts[each] == 0) continue;
        if (!text.empty()) text += " + ";
        text += weighted(counts[each], net.transitions()[each].name);
    }
    return text;
}

} // namespace weft::inline v0::petri
