#include "petri/pnml_parts.hpp"
#include "petri/tables.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

namespace {

using pugi::xml_node;
using values = std::vector<colour_id>;
using field = std::vector<counted>;

/// A value of a file: all that is known of it is its text. Different values may have equal texts.
struct read_value {
    std::uint32_t number = 0;
    std::string shown;

    [[nodiscard]] auto fields() const { return std::tie(number); }
    [[nodiscard]] const std::string& text() const { return shown; }
    friend bool operator==(const read_value&, const read_value&) = default;
};

/// The modes of a transition, in the order of their values, with their fields.
class mode_table {
public:
    /// False if there is a mode with these values.
    bool insert(values mode, std::vector<field> fields) {
        return modes_.emplace(std::move(mode), std::move(fields)).second;
    }

    /// Some mode that begins with these values, or none.
    [[nodiscard]] const std::vector<field>* find(binding first) const {
        const auto found = modes_.lower_bound(values{first.begin(), first.end()});
        if (found == modes_.end() ||
            !std::ranges::equal(std::span{found->first}.first(first.size()), first))
            return nullptr;
        return &found->second;
    }

    /// Whether modes whose first `count` values are equal have equal fields `index`.
    [[nodiscard]] bool depends_on_first(std::size_t count, std::size_t index) const {
        const auto differs = [&](const auto& one, const auto& other) {
            return std::ranges::equal(std::span{one.first}.first(count),
                                      std::span{other.first}.first(count)) &&
                   one.second[index] != other.second[index];
        };
        return std::ranges::adjacent_find(modes_, differs) == modes_.end();
    }

    /// The number of tokens of a field, if it is the same in all modes.
    [[nodiscard]] std::optional<std::uint64_t> size_of(std::size_t index) const {
        std::optional<std::uint64_t> size;
        for (const auto& [mode, fields] : modes_) {
            std::uint64_t own = 0;
            for (const counted& each : fields[index]) own += each.count;
            if (size && *size != own) return {};
            size = own;
        }
        return size;
    }

private:
    std::map<values, std::vector<field>> modes_;
};

} // namespace

class tables_reader {
public:
    tables_reader(const xml_file& file, xml_node described) : file_{&file}, described_{described} {}

    net read() {
        if (const xml_node name = label_of(described_, "name")) net_.set_name(own_text(name));
        read_values();
        collect(described_);
        for (const xml_node each : nodes_) add_node(each);
        for (const xml_node each : arcs_) remember_arc(each);
        for (const auto& [transition, node] : transition_nodes_) add_arcs(transition, node);
        return std::move(net_);
    }

private:
    struct arc {
        xml_node node;
        place_index place;
        bool into_transition;
        std::string type;
        std::uint32_t weight;
        [[nodiscard]] bool has_field() const { return type.starts_with("table"); }
        [[nodiscard]] bool is_variable() const { return type.starts_with("variable"); }
    };

    void read_values() {
        for (const xml_node each : child_of(described_, "values").children()) {
            if (kind_of(each) != "value") continue;
            const auto number = static_cast<std::uint32_t>(value_count_++);
            net_.domain_of<read_value>().id_of({number, attribute_of(each, "text")});
        }
    }

    void collect(xml_node parent) {
        for (const xml_node each : parent.children()) {
            const std::string kind = kind_of(each);
            if (kind == "page") collect(each);
            else if (kind == "arc") arcs_.push_back(each);
            else if (kind == "place" || kind == "transition") nodes_.push_back(each);
            else if (kind.starts_with("reference"))
                file_->fail(each, "nets of tables have no references");
        }
    }

    void add_node(xml_node node) {
        const std::string id = required(*file_, node, "id");
        if (!ids_.insert(id).second) file_->fail(node, "the id '" + id + "' is used twice");
        const std::string name = own_text(label_of(node, "name"));
        const bool is_place = kind_of(node) == "place";
        try {
            if (is_place) add_place(node, id, name.empty() ? id : name);
            else add_transition(node, id, name.empty() ? id : name);
        } catch (const error& wrong) {
            if (wrong.code() == fault::bad_file) throw;
            file_->fail(node, wrong.what());
        }
    }

    void add_place(xml_node node, const std::string& id, const std::string& name) {
        place_index made = 0;
        if (child_of(node, "type")) {
            made = net_.add_place<read_value>(name).index;
            content held = bag_table::empty;
            for (const counted& each : tokens_in(node, own_text(label_of(node, "initialTokens"))))
                held = net_.bags_->add(held, each.colour, each.count);
            net_.initial_[made] = held;
        } else {
            made = net_.add_place(name, number_in(*file_, node, "initialMarking", 0, 0)).index;
        }
        places_.emplace(id, made);
        if (const auto position = position_of(node)) net_.draw_place(made, *position);
    }

    void add_transition(xml_node node, const std::string& id, const std::string& name) {
        const transition_index made = net_.add_transition(name).index();
        transitions_.emplace(id, made);
        transition_nodes_.emplace_back(made, node);
        if (const auto position = position_of(node)) net_.draw_transition(made, *position);
    }

    void remember_arc(xml_node node) {
        const std::string source = required(*file_, node, "source");
        const std::string target = required(*file_, node, "target");
        const bool from_place = places_.contains(source);
        const auto place = places_.find(from_place ? source : target);
        const auto transition = transitions_.find(from_place ? target : source);
        if (place == places_.end() || transition == transitions_.end())
            file_->fail(node, "the arc does not connect a place and a transition");
        const arc made{node, place->second, from_place,
                       attribute_of(child_of(node, "type"), "value"),
                       number_in(*file_, node, "inscription", 1, 1)};
        check_type(made);
        arcs_of_[transition->second].push_back(made);
    }

    void check_type(const arc& checked) const {
        const std::set<std::string> from_places{
            "",        "read",         "inhibitor",        variable_arc, variable_read_arc,
            table_arc, table_read_arc, table_inhibitor_arc};
        const bool known = checked.into_transition
                               ? from_places.contains(checked.type)
                               : checked.type.empty() || checked.type == table_arc;
        if (!known) {
            file_->fail(checked.node,
                        "an arc from a " +
                            std::string{checked.into_transition ? "place" : "transition"} +
                            " cannot be of type '" + checked.type + "'");
        }
        const bool of_values = checked.has_field() || checked.is_variable();
        if (of_values && child_of(checked.node, "inscription"))
            file_->fail(checked.node, "an arc of type '" + checked.type + "' has no inscription");
        const bool plain = net_.places_[checked.place].is_plain();
        if (of_values == plain && checked.type != "inhibitor")
            file_->fail(checked.node, "the type '" + checked.type +
                                          "' does not fit the tokens of '" +
                                          net_.places_[checked.place].name + "'");
    }

    void add_arcs(transition_index transition, xml_node node) {
        const std::vector<arc>& arcs = arcs_of_[transition];
        const auto table = read_modes(node, arcs);
        transition_data& data = net_.transitions_[transition];
        std::size_t next_field = 0;
        // Also of a transition without variables: it may have no mode.
        if (table) add_guard(data, table);
        for (const bool inward : {true, false}) {
            for (const arc& each : arcs) {
                if (each.into_transition != inward) continue;
                data.plain = data.plain && net_.places_[each.place].is_plain();
                if (each.has_field() && !table->depends_on_first(data.variables.size(), next_field))
                    file_->fail(each.node, "the modes contradict each other at this arc");
                if (inward) add_clause(data, each, table, next_field);
                else add_output(data, each, table, next_field);
                if (each.has_field()) ++next_field;
            }
        }
    }

    /// Only values with which some mode begins are tried further.
    static void add_guard(transition_data& data, const std::shared_ptr<const mode_table>& table) {
        data.plain = false;
        data.clauses.push_back(
            {.guard = [table](binding bound) { return table->find(bound) != nullptr; }});
    }

    static token_function tokens_of(const std::shared_ptr<const mode_table>& table,
                                    std::size_t index) {
        return [table, index](binding bound, std::vector<counted>& tokens) {
            if (const auto* found = table->find(bound)) {
                tokens.insert(tokens.end(), (*found)[index].begin(), (*found)[index].end());
            }
        };
    }

    static void add_clause(transition_data& data, const arc& added,
                           const std::shared_ptr<const mode_table>& table, std::size_t index) {
        clause made{.place = added.place, .count = added.weight};
        if (added.is_variable()) {
            made.kind =
                added.type == variable_arc ? clause_kind::bind_take : clause_kind::bind_read;
            data.variables.push_back(added.place);
        } else if (added.type == table_arc || added.type == table_read_arc) {
            made.kind =
                added.type == table_arc ? clause_kind::computed_take : clause_kind::computed_read;
            made.tokens = tokens_of(table, index);
        } else if (added.type == table_inhibitor_arc) {
            made.kind = clause_kind::inhibit;
            made.test = [table, index](binding bound, colour_id colour) {
                const auto* found = table->find(bound);
                return found == nullptr ||
                       std::ranges::find((*found)[index], colour, &counted::colour) !=
                           (*found)[index].end();
            };
        } else if (added.type == "inhibitor") {
            made.kind = clause_kind::inhibit;
        } else {
            made.kind = added.type == "read" ? clause_kind::count_read : clause_kind::count_take;
        }
        data.clauses.push_back(std::move(made));
        if (added.is_variable()) add_guard(data, table);
    }

    static void add_output(transition_data& data, const arc& added,
                           const std::shared_ptr<const mode_table>& table, std::size_t index) {
        output made{.place = added.place, .count = added.weight, .tokens = {}};
        if (added.has_field()) {
            made.exact = table->size_of(index) == 1U;
            made.tokens = tokens_of(table, index);
        }
        data.outputs.push_back(std::move(made));
    }

    /// None if the transition has no modes.
    std::shared_ptr<const mode_table> read_modes(xml_node node, const std::vector<arc>& arcs) {
        const auto variables =
            static_cast<std::size_t>(std::ranges::count_if(arcs, &arc::is_variable));
        const auto fields = static_cast<std::size_t>(std::ranges::count_if(arcs, &arc::has_field));
        const xml_node all = child_of(node, "modes");
        if (!all) {
            if (variables + fields != 0) file_->fail(node, "the transition has no 'modes'");
            return {};
        }
        auto table = std::make_shared<mode_table>();
        for (const xml_node each : all.children()) {
            if (kind_of(each) != "mode") continue;
            const auto parts = parts_of(own_text(each));
            if (parts.size() != fields + 1) {
                file_->fail(each, "the mode has " + std::to_string(parts.size() - 1) +
                                      " fields, but there are " + std::to_string(fields) +
                                      " arcs with tables");
            }
            values mode;
            for (const counted& bound : tokens_in(each, parts.front(), false))
                mode.push_back(bound.colour);
            if (mode.size() != variables) {
                file_->fail(each, "the mode has " + std::to_string(mode.size()) +
                                      " values, but there are " + std::to_string(variables) +
                                      " variables");
            }
            std::vector<field> made;
            for (std::size_t part = 1; part != parts.size(); ++part)
                made.push_back(tokens_in(each, parts[part]));
            if (!table->insert(std::move(mode), std::move(made)))
                file_->fail(each, "there are two modes with these values");
        }
        return table;
    }

    static std::vector<std::string> parts_of(const std::string& text) {
        std::vector<std::string> parts(1);
        for (const char each : text) {
            if (each == '|') parts.emplace_back();
            else parts.back() += each;
        }
        return parts;
    }

    /// Tokens as "3 5*2".
    [[nodiscard]] field tokens_in(xml_node node, std::string_view text,
                                  bool with_counts = true) const {
        constexpr std::string_view spaces = " \t\r\n";
        field tokens;
        for (auto start = text.find_first_not_of(spaces); start != std::string_view::npos;
             start = text.find_first_not_of(spaces)) {
            text.remove_prefix(start);
            const std::string_view word = text.substr(0, text.find_first_of(spaces));
            text.remove_prefix(word.size());
            const auto star = word.find('*');
            const auto number = parse(word.substr(0, star), value_count_ - 1);
            const auto count = star == std::string_view::npos
                                   ? std::optional<std::uint32_t>{1}
                                   : parse(word.substr(star + 1), most_tokens);
            const bool counts = star != std::string_view::npos && !with_counts;
            if (value_count_ == 0 || !number || !count || *count == 0 || counts) {
                file_->fail(node, "'" + std::string{word} + "' is not " +
                                      (with_counts ? "a token" : "a value") + " of this net");
            }
            tokens.push_back({*number, *count});
        }
        return tokens;
    }

    static std::optional<std::uint32_t> parse(std::string_view text, std::uint64_t most) {
        std::uint32_t value = 0;
        const char* begin = std::to_address(text.begin());
        const char* end = std::to_address(text.end());
        const auto [rest, failed] = std::from_chars(begin, end, value);
        if (failed != std::errc{} || rest != end || value > most) return {};
        return value;
    }

    const xml_file* file_;
    xml_node described_;
    net net_;
    std::uint64_t value_count_ = 0;
    std::vector<xml_node> nodes_;
    std::vector<xml_node> arcs_;
    std::set<std::string> ids_;
    std::map<std::string, place_index> places_;
    std::map<std::string, transition_index> transitions_;
    std::vector<std::pair<transition_index, xml_node>> transition_nodes_;
    std::map<transition_index, std::vector<arc>> arcs_of_;
};

net read_tables(const xml_file& file, xml_node described) {
    return tables_reader{file, described}.read();
}

} // namespace weft::inline v0::petri
