#include <weft/lab/pnml.hpp>

#include "petri/xml_file.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

namespace {

using pugi::xml_node;

constexpr const char* grammar = "http://www.pnml.org/version-2009/grammar/pnml";
constexpr const char* place_transition = "http://www.pnml.org/version-2009/grammar/ptnet";
constexpr std::uint32_t most_tokens = 1U << 31U;

/// The <text> of <name>, <initialMarking> and <inscription>.
xml_node label_of(xml_node node, std::string_view name) {
    return child_of(child_of(node, name), "text");
}

/// The position of a node in the drawing, if the file has a usable one.
std::optional<point> position_of(xml_node node) {
    const xml_node position = child_of(child_of(node, "graphics"), "position");
    point found;
    for (const auto& [name, coordinate] : {std::pair{"x", &found.x}, std::pair{"y", &found.y}}) {
        const std::string text = attribute_of(position, name);
        const char* end = text.data() + text.size();
        if (text.empty() || std::from_chars(text.data(), end, *coordinate).ptr != end) return {};
        if (!std::isfinite(*coordinate) || std::abs(*coordinate) > 1e6) return {};
    }
    return found;
}

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
    explicit importer(std::string_view text) : file_{text} {}

    net read() {
        const xml_node root = file_.root();
        if (kind_of(root) != "pnml") file_.fail(root, "'" + kind_of(root) + "' is not 'pnml'");
        const xml_node chosen = child_of(root, "net");
        if (!chosen) file_.fail(root, "there is no net");
        const std::string type = required(chosen, "type");
        if (type.find("ptnet") == std::string::npos && type.find("PTNet") == std::string::npos) {
            file_.fail(chosen,
                       "nets of type '" + type + "' are not supported, only place/transition nets");
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

    [[nodiscard]] std::string required(xml_node node, const char* attribute) const {
        std::string value = attribute_of(node, attribute);
        if (value.empty()) {
            std::string text = "'"; // by append: g++ 12 warns of the sum where it is inlined
            file_.fail(node,
                       text.append(kind_of(node)).append("' has no '").append(attribute) + "'");
        }
        return value;
    }

    [[nodiscard]] std::uint32_t number(xml_node node, std::string_view name, std::uint32_t fallback,
                                       std::uint32_t least) const {
        const xml_node label = label_of(node, name);
        if (!label) return fallback;
        const std::string text = own_text(label);
        std::uint32_t read = 0;
        const char* end = text.data() + text.size();
        const auto [rest, failed] = std::from_chars(text.data(), end, read);
        if (failed != std::errc{} || rest != end || read < least || read > most_tokens) {
            file_.fail(label, "'" + text + "' is not a number from " + std::to_string(least) +
                                  " to " + std::to_string(most_tokens));
        }
        return read;
    }

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
        const std::string id = required(node, "id");
        if (!by_id_.emplace(id, node).second) file_.fail(node, "the id '" + id + "' is used twice");
    }

    /// The node's name, or its id if another node has that name.
    std::string name_of(xml_node node) {
        const auto fit = [&](const std::string& name) {
            return kind_of(node) == "transition" ? fit_for_traces(name) : name;
        };
        const std::string id = fit(required(node, "id"));
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
        const std::string id = required(node, "id");
        const auto position = position_of(node);
        if (kind_of(node) == "place") {
            const auto made = net_.add_place(name_of(node), number(node, "initialMarking", 0, 0));
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
            next = required(found->second, "ref");
        }
        file_.fail(arc, "the references from '" + id + "' form a cycle");
    }

    void add_connection(xml_node arc) {
        const xml_node source = resolved(arc, required(arc, "source"));
        const xml_node target = resolved(arc, required(arc, "target"));
        if (kind_of(source) == kind_of(target)) {
            file_.fail(arc, "an arc connects two nodes of kind '" + kind_of(source) + "'");
        }
        const bool from_place = kind_of(source) == "place";
        const auto place = places_.at(required(from_place ? source : target, "id"));
        const auto transition = transitions_.at(required(from_place ? target : source, "id"));
        connections_[transition].push_back(
            {place, number(arc, "inscription", 1, 1), direction_of(arc, from_place)});
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

    xml_file file_;
    net net_;
    std::vector<xml_node> nodes_;
    std::vector<xml_node> arcs_;
    std::map<std::string, xml_node> by_id_;
    std::set<std::string> used_;
    std::map<std::string, place_index> places_;
    std::map<std::string, transition_index> transitions_;
    std::map<transition_index, std::vector<connection>> connections_;
};

std::string id_of(char kind, std::uint32_t number) {
    std::string id(1, kind);
    return id += std::to_string(number);
}

std::string coordinate_text(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

class exporter {
public:
    explicit exporter(const net& written) : net_{&written} {}

    std::string write() {
        xml_node declaration = document_.append_child(pugi::node_declaration);
        declaration.append_attribute("version") = "1.0";
        declaration.append_attribute("encoding") = "UTF-8";
        xml_node root = document_.append_child("pnml");
        root.append_attribute("xmlns") = grammar;
        xml_node described = append(root, "net", "net");
        described.append_attribute("type") = place_transition;
        append_text(described, "name", net_->name());
        page_ = append(described, "page", "page");
        for (place_index each = 0; each != net_->places().size(); ++each) write_place(each);
        for (transition_index each = 0; each != net_->transitions().size(); ++each)
            write_transition(each);
        std::ostringstream text;
        document_.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
        return text.str();
    }

private:
    static xml_node append(xml_node parent, const char* kind, const std::string& id) {
        xml_node made = parent.append_child(kind);
        made.append_attribute("id") = id.c_str();
        return made;
    }

    static void append_text(xml_node parent, const char* label, const std::string& text) {
        parent.append_child(label).append_child("text").text() = text.c_str();
    }

    xml_node write_node(const char* kind, const std::string& id, const std::string& name,
                        const std::optional<point>& drawn_at) {
        xml_node node = append(page_, kind, id);
        append_text(node, "name", name);
        if (drawn_at) {
            xml_node position = node.append_child("graphics").append_child("position");
            position.append_attribute("x") = coordinate_text(drawn_at->x).c_str();
            position.append_attribute("y") = coordinate_text(drawn_at->y).c_str();
        }
        return node;
    }

    void write_place(place_index index) {
        const place_data& place = net_->places()[index];
        const xml_node node = write_node("place", id_of('p', index), place.name, place.drawn_at);
        if (const content tokens = net_->initial()[index]; tokens != 0) {
            append_text(node, "initialMarking", std::to_string(tokens));
        }
    }

    void write_transition(transition_index index) {
        const transition_data& transition = net_->transitions()[index];
        const std::string id = id_of('t', index);
        write_node("transition", id, transition.name, transition.drawn_at);
        for (const clause& each : transition.clauses) {
            const char* type = nullptr;
            if (each.kind == clause_kind::inhibit) type = "inhibitor";
            if (each.kind == clause_kind::count_read) type = "read";
            write_arc(id_of('p', each.place), id, each.count, type);
        }
        for (const output& each : transition.outputs)
            write_arc(id, id_of('p', each.place), each.count, nullptr);
    }

    void write_arc(const std::string& source, const std::string& target, std::uint32_t weight,
                   const char* type) {
        xml_node arc = append(page_, "arc", id_of('a', arcs_++));
        arc.append_attribute("source") = source.c_str();
        arc.append_attribute("target") = target.c_str();
        if (type != nullptr) arc.append_child("type").append_attribute("value") = type;
        append_text(arc, "inscription", std::to_string(weight));
    }

    const net* net_;
    pugi::xml_document document_;
    xml_node page_;
    std::uint32_t arcs_ = 0;
};

} // namespace

net read_pnml(std::string_view text) { return importer{text}.read(); }

std::string write_pnml(const net& written) {
    if (!written.is_plain()) {
        throw error{fault::bad_net,
                    "'" + written.name() + "' has colours; PNML is written only for plain nets"};
    }
    return exporter{written}.write();
}

} // namespace weft::inline v0::petri
