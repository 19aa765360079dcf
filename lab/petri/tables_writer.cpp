#include "petri/pnml_parts.hpp"
#include "petri/tables.hpp"
#include <weft/lab/firing.hpp>
#include <weft/lab/state_space.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

namespace {

using pugi::xml_node;
using values = std::vector<colour_id>;

bool has_table(const clause& each) {
    return each.kind == clause_kind::computed_take || each.kind == clause_kind::computed_read ||
           (each.kind == clause_kind::inhibit && each.test);
}

/// A transition of plain tokens that is always enabled if these are there needs no modes.
bool needs_modes(const transition_data& transition) {
    return !transition.variables.empty() ||
           std::ranges::any_of(transition.clauses,
                               [](const clause& each) {
                                   return each.kind == clause_kind::guard || has_table(each);
                               }) ||
           std::ranges::any_of(transition.outputs,
                               [](const output& each) { return static_cast<bool>(each.tokens); });
}

/// The bindings of each transition that are enabled in some marking.
std::vector<std::set<values>> all_modes(net& written, std::uint64_t most_markings) {
    const state_space all = explore(written, {.most_markings = most_markings});
    if (!all.complete()) {
        throw error{fault::bad_net, "the functions of '" + written.name() +
                                        "' are written as tables over all of its markings, but "
                                        "there are too many: " +
                                        all.reason()};
    }
    std::vector<std::set<values>> modes(written.transitions().size());
    firing firing{written};
    marking now;
    for (std::uint32_t number = 0; number != all.markings(); ++number) {
        all.get(number, now);
        for (transition_index each = 0; each != modes.size(); ++each) {
            if (!needs_modes(written.transitions()[each])) continue;
            firing.for_each(now, each, [&](binding bound, const marking&) {
                modes[each].emplace(bound.begin(), bound.end());
                return true;
            });
        }
    }
    return modes;
}

/// The numbers of the values in the file. Colours are numbered by the first place that has them,
/// their values as in the net.
class value_numbers {
public:
    explicit value_numbers(const net& written) {
        for (const place_data& each : written.places()) {
            if (each.is_plain() || std::ranges::find(colours_, each.colours) != colours_.end())
                continue;
            colours_.push_back(each.colours);
        }
        used_.resize(colours_.size());
    }

    void use(const any_domain* colours, colour_id id) { used_[position(colours)][id] = 0; }

    /// Numbers all values that are used, and returns their texts.
    std::vector<std::string> number_all() {
        std::vector<std::string> texts;
        for (std::size_t each = 0; each != used_.size(); ++each) {
            for (auto& [id, number] : used_[each]) {
                number = static_cast<std::uint32_t>(texts.size());
                texts.push_back(colours_[each]->text(id));
            }
        }
        return texts;
    }

    [[nodiscard]] std::uint32_t number(const any_domain* colours, colour_id id) const {
        return used_[position(colours)].at(id);
    }
    /// The used values of a colour, with their numbers.
    [[nodiscard]] const std::map<colour_id, std::uint32_t>& all(const any_domain* colours) const {
        return used_[position(colours)];
    }

private:
    [[nodiscard]] std::size_t position(const any_domain* colours) const {
        return static_cast<std::size_t>(std::ranges::find(colours_, colours) - colours_.begin());
    }

    std::vector<const any_domain*> colours_;
    std::vector<std::map<colour_id, std::uint32_t>> used_;
};

/// Equal tokens together, in ascending order.
std::vector<counted> collected(const token_function& tokens, binding bound) {
    std::vector<counted> all;
    tokens(bound, all);
    std::map<colour_id, std::uint32_t> counts;
    for (const counted& each : all) counts[each.colour] += each.count;
    all.clear();
    for (const auto& [colour, count] : counts) all.push_back({colour, count});
    return all;
}

class tables_writer {
public:
    tables_writer(net& written, std::uint64_t most_markings)
        : net_{&written}, modes_{all_modes(written, most_markings)}, numbers_{written},
          document_{written, tables_type} {}

    std::string write() {
        use_values();
        xml_node values_node = document_.net_node().append_child("values");
        for (const std::string& each : numbers_.number_all()) {
            values_node.append_child("value").append_attribute("text") = each.c_str();
        }
        for (place_index each = 0; each != net_->places().size(); ++each) write_place(each);
        for (transition_index each = 0; each != modes_.size(); ++each) write_transition(each);
        return document_.text();
    }

private:
    [[nodiscard]] const any_domain* colours_of(place_index place) const {
        return net_->places()[place].colours;
    }

    void use_values() {
        counted room{};
        for (place_index each = 0; each != net_->places().size(); ++each) {
            if (net_->places()[each].is_plain()) continue;
            for (const counted& token : net_->bags().elements(net_->initial()[each], room))
                numbers_.use(colours_of(each), token.colour);
        }
        for (transition_index each = 0; each != modes_.size(); ++each) {
            for (const values& mode : modes_[each]) use_mode(net_->transitions()[each], mode);
        }
    }

    void use_mode(const transition_data& transition, const values& mode) {
        for (std::size_t each = 0; each != mode.size(); ++each)
            numbers_.use(colours_of(transition.variables[each]), mode[each]);
        for (const clause& each : transition.clauses) {
            if (each.tokens) use_tokens(each.place, each.tokens, mode);
        }
        for (const output& each : transition.outputs) {
            if (each.tokens) use_tokens(each.place, each.tokens, mode);
        }
    }

    void use_tokens(place_index place, const token_function& tokens, binding mode) {
        for (const counted& each : collected(tokens, mode))
            numbers_.use(colours_of(place), each.colour);
    }

    [[nodiscard]] std::string tokens_text(place_index place,
                                          const std::vector<counted>& tokens) const {
        std::string text;
        for (const counted& each : tokens) {
            if (!text.empty()) text += ' ';
            text += std::to_string(numbers_.number(colours_of(place), each.colour));
            if (each.count != 1) text += "*" + std::to_string(each.count);
        }
        return text;
    }

    void write_place(place_index index) {
        const xml_node node = document_.append_place(index);
        const content held = net_->initial()[index];
        if (net_->places()[index].is_plain()) {
            if (held != 0) pnml_document::append_text(node, "initialMarking", std::to_string(held));
            return;
        }
        pnml_document::append_text(node, "type", "values");
        counted room{};
        const auto tokens = net_->bags().elements(held, room);
        if (tokens.empty()) return;
        pnml_document::append_text(node, "initialTokens",
                                   tokens_text(index, {tokens.begin(), tokens.end()}));
    }

    void write_transition(transition_index index) {
        const transition_data& transition = net_->transitions()[index];
        xml_node node = document_.append_transition(index);
        if (needs_modes(transition)) {
            xml_node all = node.append_child("modes");
            for (const values& each : modes_[index])
                all.append_child("mode").text() = mode_text(transition, each).c_str();
        }
        for (const clause& each : transition.clauses) {
            if (each.kind != clause_kind::guard)
                write_arc(id_of('p', each.place), id_of('t', index), each.count, type_of(each));
        }
        for (const output& each : transition.outputs) {
            write_arc(id_of('t', index), id_of('p', each.place), each.count,
                      each.tokens ? table_arc : nullptr);
        }
    }

    /// The values of the variables, then the tokens of each table in the order of the arcs.
    [[nodiscard]] std::string mode_text(const transition_data& transition,
                                        const values& mode) const {
        std::string text;
        for (std::size_t each = 0; each != mode.size(); ++each) {
            if (each != 0) text += ' ';
            text +=
                std::to_string(numbers_.number(colours_of(transition.variables[each]), mode[each]));
        }
        const auto add = [&](const std::string& tokens) { text += " | " + tokens; };
        for (const clause& each : transition.clauses) {
            if (!has_table(each)) continue;
            add(each.test ? inhibiting_text(each, mode)
                          : tokens_text(each.place, collected(each.tokens, mode)));
        }
        for (const output& each : transition.outputs) {
            if (each.tokens) add(tokens_text(each.place, collected(each.tokens, mode)));
        }
        return text;
    }

    [[nodiscard]] std::string inhibiting_text(const clause& inhibitor, binding mode) const {
        std::vector<counted> tokens;
        for (const auto& [id, number] : numbers_.all(colours_of(inhibitor.place))) {
            if (inhibitor.test(mode, id)) tokens.push_back({id, 1});
        }
        return tokens_text(inhibitor.place, tokens);
    }

    static const char* type_of(const clause& each) {
        switch (each.kind) {
        case clause_kind::bind_take: return variable_arc;
        case clause_kind::bind_read: return variable_read_arc;
        case clause_kind::computed_take: return table_arc;
        case clause_kind::computed_read: return table_read_arc;
        case clause_kind::count_read: return "read";
        case clause_kind::inhibit: return each.test ? table_inhibitor_arc : "inhibitor";
        case clause_kind::count_take:
        case clause_kind::guard: break;
        }
        return nullptr;
    }

    void write_arc(const std::string& source, const std::string& target, std::uint32_t weight,
                   const char* type) {
        const xml_node arc = document_.append_arc(source, target, type);
        if (weight != 1) pnml_document::append_text(arc, "inscription", std::to_string(weight));
    }

    net* net_;
    std::vector<std::set<values>> modes_;
    value_numbers numbers_;
    pnml_document document_;
};

} // namespace

std::string write_tables(net& written, std::uint64_t most_markings) {
    return tables_writer{written, most_markings}.write();
}

} // namespace weft::inline v0::petri
