// XML files for PNML: pugixml, with errors that name lines, and stricter.
#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::inline v0::petri {

/// The element's name without its namespace prefix.
[[nodiscard]] std::string kind_of(pugi::xml_node node);
/// The first child element of that kind, or none.
[[nodiscard]] pugi::xml_node child_of(pugi::xml_node parent, std::string_view kind);
/// The value of an attribute; empty if there is no such attribute.
[[nodiscard]] std::string attribute_of(pugi::xml_node node, std::string_view name);
/// The text of the element itself, without white space around it.
[[nodiscard]] std::string own_text(pugi::xml_node element);

/// A parsed file. pugixml reads no external entities and parses without recursion. What it
/// tolerates is refused here: document types, unknown entities, attributes that occur twice, deep
/// nesting, and content after the outermost element. Errors are of kind bad_file and begin with the
/// line.
class xml_file {
public:
    /// The text must outlive the file.
    explicit xml_file(std::string_view text);

    [[nodiscard]] pugi::xml_node root() const { return root_; }

    /// Throws an error with the line of the node.
    [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const;

private:
    [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;
    void check_elements() const;
    void check_element(pugi::xml_node node, int depth) const;
    void find_root();
    void check_entities() const;
    void check_entity(std::size_t position) const;

    std::string_view text_;
    pugi::xml_document document_;
    pugi::xml_node root_;
};

} // namespace weft::inline v0::petri
