// Coloured nets in PNML files, with tables in place of functions.
//
// A transition has modes: the values of its variables in which it may fire, each with the tokens
// that its functions compute from these. Only modes that are enabled in some reachable marking are
// written. So the net that is read back may fire exactly what the written one may.
#pragma once

#include "petri/xml_file.hpp"
#include <weft/lab/net.hpp>

#include <cstdint>
#include <string>

namespace weft::inline v0::petri {

/// The type of such a net in its file. ISO/IEC 15909-2 leaves the types of nets open.
inline constexpr const char* tables_type = "urn:weft:pnml:tables:1";

// The kinds of arcs that place/transition nets do not have.
inline constexpr const char* variable_arc = "variable";           // takes a token into a variable
inline constexpr const char* variable_read_arc = "variable-read"; // the same, but it stays
inline constexpr const char* table_arc = "table";           // takes or puts what the table says
inline constexpr const char* table_read_arc = "table-read"; // reads it
inline constexpr const char* table_inhibitor_arc = "table-inhibitor"; // none of these may be there

[[nodiscard]] std::string write_tables(net& written, std::uint64_t most_markings);
[[nodiscard]] net read_tables(const xml_file& file, pugi::xml_node described);

} // namespace weft::inline v0::petri
