#include "petri/pnml.hpp"

#include "petri/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace weft::petri {

namespace {

constexpr std::string_view grammar = "http://www.pnml.org/version-2009/grammar/pnml";
constexpr std::string_view place_transition = "http://www.pnml.org/version-2009/grammar/ptnet";
constexpr std::uint32_t most_tokens = 1U << 31U;

[[noreturn]] void fail(const xml_element& at, const std::string& what) {
    throw error{fault::bad_file, "line " + std::to_string(at.line) + ": " + what};
}

const std::string& required(const xml_element& of, const char* attribute) {
    const std::string* found = of.attribute(attribute);
    if (found == nullptr || found->empty())
        fail(of, "'" + of.name + "' has no '" + attribute + "'");
    return *found;
}

/// What <name>, <initialMarking> and <inscription> hold: <text>.
const xml_element* label(const xml_element& of, std::string_view name) {
    const xml_element* found = of.child(name);
    return found == nullptr ? nullptr : found->child("text");
}

std::uint32_t number(const xml_element& of, std::string_view name, std::uint32_t otherwise,
                     std::uint32_t least) {
    const xml_element* text = label(of, name);
    if (text == nullptr) return otherwise;
    std::uint32_t read = 0;
    const char* end = text->text.data() + text->text.size();
    const auto [rest, failed] = std::from_chars(text->text.data(), end, read);
    if (failed != std::errc{} || rest != end || read < least || read > most_tokens) {
        fail(*text, "'" + text->text + "' is no number from " + std::to_string(least) + " to " +
                        std::to_string(most_tokens));
    }
    return read;
}

/// Where it is drawn, if that is said and makes sense.
std::optional<point> position(const xml_element& of) {
    const xml_element* graphics = of.child("graphics");
    const xml_element* at = graphics == nullptr ? nullptr : graphics->child("position");
    if (at == nullptr) return {};
    point found;
    for (const auto& [name, coordinate] : {std::pair{"x", &found.x}, std::pair{"y", &found.y}}) {
        const std::string* text = at->attribute(name);
        if (text == nullptr) return {};
        const char* end = text->data() + text->size();
        if (std::from_chars(text->data(), end, *coordinate).ptr != end) return {};
        if (!std::isfinite(*coordinate) || std::abs(*coordinate) > 1e6) return {};
    }
    return found;
}

/// On one line, and without what means something in a trace.
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
    net read(const xml_element& root) {
        if (root.name != "pnml") fail(root, "'" + root.name + "' is not 'pnml'");
        const xml_element* chosen = root.child("net");
        if (chosen == nullptr) fail(root, "there is no net");
        const std::string& type = required(*chosen, "type");
        if (type.find("ptnet") == std::string::npos && type.find("PTNet") == std::string::npos) {
            fail(*chosen, "nets of type '" + type + "' are not read, only place/transition nets");
        }
        if (const xml_element* name = label(*chosen, "name")) net_.set_name(name->text);
        collect(*chosen);
        for (const xml_element* each : nodes_) add_node(*each);
        for (const xml_element* each : arcs_) sort_arc(*each);
        for (const auto& [transition, index] : transitions_) add_arcs(index);
        return std::move(net_);
    }

private:
    struct connection {
        place_index place;
        std::uint32_t weight;
        enum class direction : std::uint8_t { in, out, inhibits, reads } kind;
    };

    /// All nodes and arcs, of all pages.
    void collect(const xml_element& of) {
        for (const xml_element& each : of.children) {
            if (each.name == "page") collect(each);
            else if (each.name == "place" || each.name == "transition") remember(each, nodes_);
            else if (each.name == "referencePlace" || each.name == "referenceTransition") {
                remember(each, references_);
            } else if (each.name == "arc") arcs_.push_back(&each);
        }
    }

    void remember(const xml_element& what, std::vector<const xml_element*>& where) {
        if (!by_id_.emplace(required(what, "id"), &what).second) {
            fail(what, "there are two with the id '" + required(what, "id") + "'");
        }
        where.push_back(&what);
    }

    /// Its name if nobody else has it, else its id.
    std::string name_of(const xml_element& node) {
        const xml_element* said = label(node, "name");
        const auto fit = [&](const std::string& name) {
            return node.name == "transition" ? fit_for_traces(name) : name;
        };
        const std::string id = fit(required(node, "id"));
        if (said == nullptr || said->text.empty()) return unused(id);
        const std::string name = fit(said->text);
        return used_.contains(name) ? unused(id) : *used_.insert(name).first;
    }

    std::string unused(const std::string& id) {
        std::string name = id;
        while (!used_.insert(name).second) name += "'";
        return name;
    }

    void add_node(const xml_element& node) {
        const std::string& id = required(node, "id");
        const auto at = position(node);
        if (node.name == "place") {
            const auto made = net_.add_place(name_of(node), number(node, "initialMarking", 0, 0));
            places_.emplace(id, made.index);
            if (at) net_.draw_place(made.index, *at);
        } else {
            const auto made = net_.add_transition(name_of(node)).index();
            transitions_.emplace(id, made);
            if (at) net_.draw_transition(made, *at);
        }
    }

    /// Follows references to what they stand for.
    const xml_element& resolved(const xml_element& arc, const std::string& id) const {
        const std::string* next = &id;
        for (std::size_t steps = 0; steps <= by_id_.size(); ++steps) {
            const auto found = by_id_.find(*next);
            if (found == by_id_.end()) fail(arc, "there is no place or transition '" + *next + "'");
            if (!found->second->name.starts_with("reference")) return *found->second;
            next = &required(*found->second, "ref");
        }
        fail(arc, "the references from '" + id + "' lead in a circle");
    }

    void sort_arc(const xml_element& arc) {
        const xml_element& source = resolved(arc, required(arc, "source"));
        const xml_element& target = resolved(arc, required(arc, "target"));
        if (source.name == target.name)
            fail(arc, "an arc between two of kind '" + source.name + "'");
        const bool into = source.name == "place";
        const place_index place = places_.at(required(into ? source : target, "id"));
        const transition_index transition = transitions_.at(required(into ? target : source, "id"));
        auto kind = into ? connection::direction::in : connection::direction::out;
        const xml_element* type = arc.child("type");
        const std::string* value = type == nullptr ? nullptr : type->attribute("value");
        if (value != nullptr && *value != "normal") {
            if (!into) fail(arc, "an arc of type '" + *value + "' must come from a place");
            if (*value == "inhibitor") kind = connection::direction::inhibits;
            else if (*value == "read" || *value == "test") kind = connection::direction::reads;
            else fail(arc, "arcs of type '" + *value + "' are not known");
        }
        connections_[transition].push_back({place, number(arc, "inscription", 1, 1), kind});
    }

    /// What is read must be there beside what is taken, in whatever order the arcs come: so reading is last.
    void add_arcs(transition_index which) {
        using enum connection::direction;
        const transition_builder<> built{net_, which};
        for (const auto kind : {in, out, inhibits, reads}) {
            for (const connection& each : connections_[which]) {
                if (each.kind == kind) add_arc(built, each);
            }
        }
    }
    static void add_arc(const transition_builder<>& built, const connection& arc) {
        const place<token> at{arc.place};
        switch (arc.kind) {
        case connection::direction::in: built.take(at, arc.weight); break;
        case connection::direction::out: built.put(at, arc.weight); break;
        case connection::direction::inhibits: built.inhibit(at, arc.weight); break;
        case connection::direction::reads: built.read(at, arc.weight); break;
        }
    }

    net net_;
    std::vector<const xml_element*> nodes_;
    std::vector<const xml_element*> references_;
    std::vector<const xml_element*> arcs_;
    std::map<std::string, const xml_element*> by_id_;
    std::set<std::string> used_;
    std::map<std::string, place_index> places_;
    std::map<std::string, transition_index> transitions_;
    std::map<transition_index, std::vector<connection>> connections_;
};

std::string id_of(char kind, std::uint32_t number) {
    std::string id(1, kind);
    return id += std::to_string(number);
}

class exporter {
public:
    explicit exporter(const net& of) : net_{&of} {}

    std::string write() {
        text_ << R"(<?xml version="1.0" encoding="UTF-8"?>)"
              << "\n<pnml xmlns=\"" << grammar << "\">\n  <net id=\"net\" type=\""
              << place_transition << "\">\n    <name><text>" << xml_escaped(net_->name())
              << "</text></name>\n    <page id=\"page\">\n";
        for (place_index each = 0; each != net_->places().size(); ++each) write_place(each);
        for (transition_index each = 0; each != net_->transitions().size(); ++each)
            write_transition(each);
        text_ << "    </page>\n  </net>\n</pnml>\n";
        return text_.str();
    }

private:
    void write_name(const std::string& name, const std::optional<point>& at) {
        text_ << "        <name><text>" << xml_escaped(name) << "</text></name>\n";
        if (at) {
            text_ << "        <graphics><position x=\"" << at->x << "\" y=\"" << at->y
                  << "\"/></graphics>\n";
        }
    }

    void write_place(place_index which) {
        const place_data& of = net_->places()[which];
        text_ << "      <place id=\"p" << which << "\">\n";
        write_name(of.name, of.drawn_at);
        if (const content tokens = net_->initial()[which]; tokens != 0) {
            text_ << "        <initialMarking><text>" << tokens << "</text></initialMarking>\n";
        }
        text_ << "      </place>\n";
    }

    void write_transition(transition_index which) {
        const transition_data& of = net_->transitions()[which];
        text_ << "      <transition id=\"t" << which << "\">\n";
        write_name(of.name, of.drawn_at);
        text_ << "      </transition>\n";
        const std::string self = id_of('t', which);
        for (const clause& each : of.clauses) {
            const char* type = "";
            if (each.kind == clause_kind::inhibit) type = "<type value=\"inhibitor\"/>";
            if (each.kind == clause_kind::count_read) type = "<type value=\"read\"/>";
            write_arc(id_of('p', each.place), self, each.count, type);
        }
        for (const output& each : of.outputs)
            write_arc(self, id_of('p', each.place), each.count, "");
    }

    void write_arc(const std::string& from, const std::string& to, std::uint32_t weight,
                   const char* type) {
        text_ << "      <arc id=\"a" << arcs_++ << "\" source=\"" << from << "\" target=\"" << to
              << "\">" << type << "<inscription><text>" << weight
              << "</text></inscription></arc>\n";
    }

    const net* net_;
    std::ostringstream text_;
    std::size_t arcs_ = 0;
};

} // namespace

net read_pnml(std::string_view text) { return importer{}.read(read_xml(text)); }

std::string write_pnml(const net& of) {
    if (!of.is_plain()) {
        throw error{fault::bad_net,
                    "'" + of.name() + "' has colours, and PNML is written only of nets without"};
    }
    return exporter{of}.write();
}

} // namespace weft::petri
