// Nets in PNML (ISO/IEC 15909-2): reading and writing.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/net.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::inline v0::petri {

/// Reads the first net of a file, with all of its pages. As an extension of the standard, an arc
/// may have an element `type` with the value "inhibitor" or "read". Errors are of kind bad_file and
/// begin with the line. A file that `write_pnml_tables` has written is read too.
[[nodiscard]] WEFT_API net read_pnml(std::string_view text);

/// Writes a net without colours; throws an error for other nets.
[[nodiscard]] WEFT_API std::string write_pnml(const net& written);

/// Writes a net with colours. Its functions are C++, so each is written as a table: its results for
/// all values that the net's transitions can have in some reachable marking. What is read back has
/// the same places, transitions, runs and state space; the types of its values are lost, their
/// texts are not. docs/lab.md describes the format. Throws an error if the net has more markings.
[[nodiscard]] WEFT_API std::string write_pnml_tables(net& written,
                                                     std::uint64_t most_markings = 100'000);

} // namespace weft::inline v0::petri
