// What both kinds of PNML files, of plain nets and of tables, have in common.
#pragma once

#include "petri/xml_file.hpp"
#include <weft/lab/net.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::inline v0::petri {

/// The most tokens that a file may have in a place, and the largest weight of an arc.
inline constexpr std::uint32_t most_tokens = 1U << 31U;

/// The <text> of <name>, <initialMarking> and the like.
[[nodiscard]] pugi::xml_node label_of(pugi::xml_node node, std::string_view name);
/// The position of a node in the drawing, if the file has a usable one.
[[nodiscard]] std::optional<point> position_of(pugi::xml_node node);
/// An attribute that must be there.
[[nodiscard]] std::string required(const xml_file& file, pugi::xml_node node,
                                   const char* attribute);
/// The number in a label, or `fallback` if there is no such label.
[[nodiscard]] std::uint32_t number_in(const xml_file& file, pugi::xml_node node,
                                      std::string_view name, std::uint32_t fallback,
                                      std::uint32_t least);

/// "p7", and back.
[[nodiscard]] std::string id_of(char kind, std::uint32_t number);

/// A file that is being written: one net with one page.
class pnml_document {
public:
    pnml_document(const net& written, const char* type);

    [[nodiscard]] pugi::xml_node net_node() const { return net_; }
    /// A place or transition with its name and position.
    pugi::xml_node append_place(place_index index);
    pugi::xml_node append_transition(transition_index index);
    /// `type` is none for a normal arc.
    pugi::xml_node append_arc(const std::string& source, const std::string& target,
                              const char* type);
    static void append_text(pugi::xml_node parent, const char* label, const std::string& text);

    [[nodiscard]] std::string text() const;

private:
    pugi::xml_node append_node(const char* kind, const std::string& id, const std::string& name,
                               const std::optional<point>& drawn_at);
    /// Appended with its first node: what is appended to the net before that stands before it.
    pugi::xml_node page();

    const net* written_;
    pugi::xml_document document_;
    pugi::xml_node net_;
    pugi::xml_node page_;
    std::uint32_t arcs_ = 0;
};

} // namespace weft::inline v0::petri
