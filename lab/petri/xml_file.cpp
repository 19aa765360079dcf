#include "petri/xml_file.hpp"

#include <weft/lab/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

namespace weft::inline v0::petri {

using pugi::xml_node;

namespace {

constexpr int most_depth = 200;
constexpr const char* spaces = " \t\r\n";

std::string_view local_name(std::string_view name) {
    const auto colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Whether the entity "#65" or "#x41" is a character that XML allows in any encoding.
bool is_character(std::string_view name) {
    const bool hexadecimal = name.starts_with("#x");
    const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
    const char* begin = std::to_address(digits.begin());
    const char* end = std::to_address(digits.end());
    std::uint32_t code = 0;
    const auto [rest, failed] = std::from_chars(begin, end, code, hexadecimal ? 16 : 10);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    return failed == std::errc{} && rest == end && code != 0 && code <= 0x10FFFF && !is_surrogate;
}

} // namespace

std::string kind_of(xml_node node) { return std::string{local_name(node.name())}; }

xml_node child_of(xml_node parent, std::string_view kind) {
    return parent.find_child([&](xml_node each) {
        return each.type() == pugi::node_element && local_name(each.name()) == kind;
    });
}

std::string attribute_of(xml_node node, std::string_view name) {
    return node
        .find_attribute([&](pugi::xml_attribute each) { return local_name(each.name()) == name; })
        .value();
}

std::string own_text(xml_node element) {
    std::string text;
    for (const xml_node each : element.children()) {
        if (each.type() == pugi::node_pcdata || each.type() == pugi::node_cdata)
            text += each.value();
    }
    const auto first = text.find_first_not_of(spaces);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

xml_file::xml_file(std::string_view text) : text_{text} {
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
        fail_at(nul, "the file contains a NUL byte");
    }
    const auto parsed = document_.load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_doctype | pugi::parse_fragment,
        pugi::encoding_utf8);
    check_elements(); // pugixml keeps the elements before a syntax error
    if (!parsed) fail_at(static_cast<std::size_t>(parsed.offset), parsed.description());
    find_root();
    check_entities();
}

void xml_file::fail(xml_node node, const std::string& message) const {
    const auto offset = static_cast<std::size_t>(node.offset_debug());
    fail_at(text_.find_first_not_of(spaces, offset), message);
}

void xml_file::fail_at(std::size_t offset, const std::string& message) const {
    const auto line = std::ranges::count(text_.substr(0, offset), '\n') + 1;
    throw error{fault::bad_file, "line " + std::to_string(line) + ": " + message};
}

void xml_file::check_elements() const {
    struct walker : pugi::xml_tree_walker {
        explicit walker(const xml_file& checked) : file{&checked} {}
        bool for_each(xml_node& node) override {
            file->check_element(node, depth());
            return true;
        }
        const xml_file* file;
    };
    walker checker{*this};
    document_.root().traverse(checker);
}

void xml_file::check_element(xml_node node, int depth) const {
    if (depth >= most_depth) fail(node, "elements are nested too deeply");
    std::set<std::string_view> names;
    for (const pugi::xml_attribute each : node.attributes()) {
        if (names.insert(local_name(each.name())).second) continue;
        fail(node, std::string{"the attribute '"} + each.name() + "' occurs twice");
    }
}

void xml_file::find_root() {
    for (const xml_node each : document_.children()) {
        if (each.type() == pugi::node_doctype) {
            fail(each, "document type declarations are not supported");
        }
        if (root_) fail(each, "unexpected content after the end of '" + kind_of(root_) + "'");
        if (each.type() != pugi::node_element) fail(each, "there is text before the first element");
        root_ = each;
    }
    if (!root_) fail_at(0, "there is no element");
}

/// pugixml leaves unknown entities as they are.
void xml_file::check_entities() const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> skipped{
        {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
    for (auto position = text_.find_first_of("&<"); position != std::string_view::npos;
         position = text_.find_first_of("&<", position)) {
        if (text_[position] == '&') check_entity(position);
        std::size_t next = position + 1;
        for (const auto& [begin, end] : skipped) {
            if (text_.substr(position).starts_with(begin)) next = text_.find(end, position);
        }
        position = next;
    }
}

void xml_file::check_entity(std::size_t position) const {
    constexpr std::array<std::string_view, 5> known{"lt", "gt", "amp", "quot", "apos"};
    const std::string_view rest = text_.substr(position + 1, 12);
    const auto end = rest.find(';');
    if (end == std::string_view::npos) fail_at(position, "an entity has no ';'");
    const std::string_view name = rest.substr(0, end);
    if (std::ranges::find(known, name) != known.end()) return;
    if (!name.starts_with('#')) fail_at(position, "unknown entity '" + std::string{name} + "'");
    if (!is_character(name)) {
        fail_at(position, "'" + std::string{name} + "' is not a character");
    }
}

} // namespace weft::inline v0::petri
