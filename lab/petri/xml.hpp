// As much of XML as PNML needs: elements, attributes, text. No external entities, no document types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::petri {

struct xml_element {
    std::string name; // without the prefix of a namespace
    std::size_t line = 0;
    std::vector<std::pair<std::string, std::string>> attributes{};
    std::string text{}; // of this element alone, without white space around it
    std::vector<xml_element> children{};

    /// The attribute's value, or nothing.
    [[nodiscard]] const std::string* attribute(std::string_view wanted) const;
    /// The first child of that name, or nothing.
    [[nodiscard]] const xml_element* child(std::string_view wanted) const;
};

/// The outermost element. An error of kind bad_file names the line of what is wrong.
[[nodiscard]] xml_element read_xml(std::string_view text);

/// With what means something in XML written as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

} // namespace weft::petri
