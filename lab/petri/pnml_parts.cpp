#include "petri/pnml_parts.hpp"

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

namespace weft::inline v0::petri {

using pugi::xml_node;

namespace {

constexpr const char* grammar = "http://www.pnml.org/version-2009/grammar/pnml";

std::string coordinate_text(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

xml_node append(xml_node parent, const char* kind, const std::string& id) {
    xml_node made = parent.append_child(kind);
    made.append_attribute("id") = id.c_str();
    return made;
}

} // namespace

xml_node label_of(xml_node node, std::string_view name) {
    return child_of(child_of(node, name), "text");
}

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

std::string required(const xml_file& file, xml_node node, const char* attribute) {
    std::string value = attribute_of(node, attribute);
    if (value.empty()) {
        std::string text = "'"; // by append: g++ 12 warns of the sum where it is inlined
        file.fail(node, text.append(kind_of(node)).append("' has no '").append(attribute) + "'");
    }
    return value;
}

std::uint32_t number_in(const xml_file& file, xml_node node, std::string_view name,
                        std::uint32_t fallback, std::uint32_t least) {
    const xml_node label = label_of(node, name);
    if (!label) return fallback;
    const std::string text = own_text(label);
    std::uint32_t read = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, read);
    if (failed != std::errc{} || rest != end || read < least || read > most_tokens) {
        file.fail(label, "'" + text + "' is not a number from " + std::to_string(least) + " to " +
                             std::to_string(most_tokens));
    }
    return read;
}

std::string id_of(char kind, std::uint32_t number) {
    std::string id(1, kind);
    return id += std::to_string(number);
}

pnml_document::pnml_document(const net& written, const char* type) : written_{&written} {
    xml_node declaration = document_.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    xml_node root = document_.append_child("pnml");
    root.append_attribute("xmlns") = grammar;
    net_ = append(root, "net", "net");
    net_.append_attribute("type") = type;
    append_text(net_, "name", written.name());
}

xml_node pnml_document::page() {
    if (!page_) page_ = append(net_, "page", "page");
    return page_;
}

xml_node pnml_document::append_place(place_index index) {
    const place_data& place = written_->places()[index];
    return append_node("place", id_of('p', index), place.name, place.drawn_at);
}

xml_node pnml_document::append_transition(transition_index index) {
    const transition_data& transition = written_->transitions()[index];
    return append_node("transition", id_of('t', index), transition.name, transition.drawn_at);
}

xml_node pnml_document::append_node(const char* kind, const std::string& id,
                                    const std::string& name, const std::optional<point>& drawn_at) {
    xml_node node = append(page(), kind, id);
    append_text(node, "name", name);
    if (drawn_at) {
        xml_node position = node.append_child("graphics").append_child("position");
        position.append_attribute("x") = coordinate_text(drawn_at->x).c_str();
        position.append_attribute("y") = coordinate_text(drawn_at->y).c_str();
    }
    return node;
}

xml_node pnml_document::append_arc(const std::string& source, const std::string& target,
                                   const char* type) {
    xml_node arc = append(page(), "arc", id_of('a', arcs_++));
    arc.append_attribute("source") = source.c_str();
    arc.append_attribute("target") = target.c_str();
    if (type != nullptr) arc.append_child("type").append_attribute("value") = type;
    return arc;
}

void pnml_document::append_text(xml_node parent, const char* label, const std::string& text) {
    parent.append_child(label).append_child("text").text() = text.c_str();
}

std::string pnml_document::text() const {
    std::ostringstream text;
    document_.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
}

} // namespace weft::inline v0::petri
