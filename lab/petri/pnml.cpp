#include <weft/lab/pnml.hpp>

#include "petri/pnml_parts.hpp"
#include "petri/tables.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

namespace {

using pugi::xml_node;

constexpr const char* place_transition = "http://www.pnml.org/version-2009/grammar/ptnet";

/// The name on one line, and without the characters that have a meaning in traces.
std::string fit_for_traces(std::string_view name) {
    std::string fit;
    for (const char each : name) {
        const bool is_space = each == ' ' || static_cast<unsigned char>(each) < 0x20;
        if (!is_space)
            fit += std::string_view{"()|#"}.find(each) == std::string_view::npos ? each : '_';
        else if (!fit.empty() && fit.back() != ' ') fit += ' ';
    }
    while (fit.ends_with(' ')) fit.pop_back();
    return fit.empty() ? "_" : fit;
}

class importer {
public:
    explicit importer(const xml_file& file) : file_{file} {}

    net read(xml_node chosen, const std::string& type) {
        if (type.find("ptnet") == std::string::npos && type.find("PTNet") == std::string::npos) {
            file_.fail(chosen, "nets of type '" + type +
                                   "' are not supported, only place/transition nets and tables");
        }
        if (const xml_node name = label_of(chosen, "name")) net_.set_name(own_text(name));
        collect(chosen);
        for (const xml_node each : nodes_) add_node(each);
        for (const xml_node each : arcs_) add_connection(each);
        for (const auto& [transition, index] : transitions_) add_arcs(index);
        return std::move(net_);
    }

private:
    struct connection {
        place_index place;
        std::uint32_t weight;
        enum class direction : std::uint8_t { takes, puts, inhibits, reads } kind;
    };

    /// Collects the nodes and arcs of all pages.
    void collect(xml_node parent) {
        for (const xml_node each : parent.children()) {
            const std::string kind = kind_of(each);
            if (kind == "page") collect(each);
            else if (kind == "arc") arcs_.push_back(each);
            else if (kind == "place" || kind == "transition") {
                remember(each);
                nodes_.push_back(each);
            } else if (kind == "referencePlace" || kind == "referenceTransition") remember(each);
        }
    }

    void remember(xml_node node) {
        const std::string id = required(file_, node, "id");
        if (!by_id_.emplace(id, node).second) file_.fail(node, "the id '" + id + "' is used twice");
    }

    /// The node's name, or its id if another node has that name.
    std::string name_of(xml_node node) {
        const auto fit = [&](const std::string& name) {
            return kind_of(node) == "transition" ? fit_for_traces(name) : name;
        };
        const std::string id = fit(required(file_, node, "id"));
        const std::string label = own_text(label_of(node, "name"));
        if (label.empty()) return unused(id);
        const std::string name = fit(label);
        return used_.contains(name) ? unused(id) : *used_.insert(name).first;
    }

    std::string unused(const std::string& id) {
        std::string name = id;
        while (!used_.insert(name).second) name += "'";
        return name;
    }

    void add_node(xml_node node) {
        const std::string id = required(file_, node, "id");
        const auto position = position_of(node);
        if (kind_of(node) == "place") {
            const auto made =
                net_.add_place(name_of(node), number_in(file_, node, "initialMarking", 0, 0));
            places_.emplace(id, made.index);
            if (position) net_.draw_place(made.index, *position);
        } else {
            const auto made = net_.add_transition(name_of(node)).index();
            transitions_.emplace(id, made);
            if (position) net_.draw_transition(made, *position);
        }
    }

    /// Follows references to the node that they stand for.
    [[nodiscard]] xml_node resolved(xml_node arc, const std::string& id) const {
        std::string next = id;
        for (std::size_t steps = 0; steps <= by_id_.size(); ++steps) {
            const auto found = by_id_.find(next);
            if (found == by_id_.end()) {
                file_.fail(arc, "there is no place or transition '" + next + "'");
            }
            if (!kind_of(found->second).starts_with("reference")) return found->second;
            next = required(file_, found->second, "ref");
        }
        file_.fail(arc, "the references from '" + id + "' form a cycle");
    }

    void add_connection(xml_node arc) {
        const xml_node source = resolved(arc, required(file_, arc, "source"));
        const xml_node target = resolved(arc, required(file_, arc, "target"));
        if (kind_of(source) == kind_of(target)) {
            file_.fail(arc, "an arc connects two nodes of kind '" + kind_of(source) + "'");
        }
        const bool from_place = kind_of(source) == "place";
        const auto place = places_.at(required(file_, from_place ? source : target, "id"));
        const auto transition =
            transitions_.at(required(file_, from_place ? target : source, "id"));
        connections_[transition].push_back(
            {place, number_in(file_, arc, "inscription", 1, 1), direction_of(arc, from_place)});
    }

    [[nodiscard]] connection::direction direction_of(xml_node arc, bool from_place) const {
        using enum connection::direction;
        const std::string type = attribute_of(child_of(arc, "type"), "value");
        if (type.empty() || type == "normal") return from_place ? takes : puts;
        if (!from_place) file_.fail(arc, "an arc of type '" + type + "' must start at a place");
        if (type == "inhibitor") return inhibits;
        if (type == "read" || type == "test") return reads;
        file_.fail(arc, "unknown arc type '" + type + "'");
    }

    /// Reading arcs are added last: their tokens must be present in addition to those taken,
    /// whatever the order in the file.
    void add_arcs(transition_index transition) {
        using enum connection::direction;
        const transition_builder<> built{net_, transition};
        for (const auto kind : {takes, puts, inhibits, reads}) {
            for (const connection& each : connections_[transition]) {
                if (each.kind == kind) add_arc(built, each);
            }
        }
    }

    static void add_arc(const transition_builder<>& built, const connection& arc) {
        using enum connection::direction;
        const place<token> connected{arc.place};
        switch (arc.kind) {
        case takes: built.take(connected, arc.weight); break;
        case puts: built.put(connected, arc.weight); break;
        case inhibits: built.inhibit(connected, arc.weight); break;
        case reads: built.read(connected, arc.weight); break;
        }
    }

    const xml_file& file_;
    net net_;
    std::vector<xml_node> nodes_;
    std::vector<xml_node> arcs_;
    std::map<std::string, xml_node> by_id_;
    std::set<std::string> used_;
    std::map<std::string, place_index> places_;
    std::map<std::string, transition_index> transitions_;
    std::map<transition_index, std::vector<connection>> connections_;
};

/// Writes the places, transitions and arcs.
std::string export_plain(const net& written) {
    pnml_document document{written, place_transition};
    const auto arc = [&](const std::string& source, const std::string& target, std::uint32_t weight,
                         const char* type) {
        pnml_document::append_text(document.append_arc(source, target, type), "inscription",
                                   std::to_string(weight));
    };
    for (place_index each = 0; each != written.places().size(); ++each) {
        const xml_node node = document.append_place(each);
        const content tokens = written.initial()[each];
        if (tokens != 0) pnml_document::append_text(node, "initialMarking", std::to_string(tokens));
    }
    for (transition_index index = 0; index != written.transitions().size(); ++index) {
        const std::string id = id_of('t', index);
        document.append_transition(index);
        for (const clause& each : written.transitions()[index].clauses) {
            const char* type = nullptr;
            if (each.kind == clause_kind::inhibit) type = "inhibitor";
            if (each.kind == clause_kind::count_read) type = "read";
            arc(id_of('p', each.place), id, each.count, type);
        }
        for (const output& each : written.transitions()[index].outputs)
            arc(id, id_of('p', each.place), each.count, nullptr);
    }
    return document.text();
}

} // namespace

net read_pnml(std::string_view text) {
    const xml_file file{text};
    const xml_node root = file.root();
    if (kind_of(root) != "pnml") file.fail(root, "'" + kind_of(root) + "' is not 'pnml'");
    const xml_node chosen = child_of(root, "net");
    if (!chosen) file.fail(root, "there is no net");
    const std::string type = required(file, chosen, "type");
    if (type == tables_type) return read_tables(file, chosen);
    return importer{file}.read(chosen, type);
}

std::string write_pnml(const net& written) {
    if (!written.is_plain()) {
        throw error{fault::bad_net, "'" + written.name() +
                                        "' has colours, which the PNML of "
                                        "place/transition nets cannot have"};
    }
    return export_plain(written);
}

std::string write_pnml_tables(net& written, std::uint64_t most_markings) {
    return write_tables(written, most_markings);
}

} // namespace weft::inline v0::petri
