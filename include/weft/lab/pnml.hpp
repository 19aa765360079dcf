// Place/transition nets in PNML (ISO/IEC 15909-2): reading and writing.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/net.hpp>

#include <string>
#include <string_view>

namespace weft::inline v0::petri {

/// Reads the first net of a file, with all of its pages. As an extension of the standard, an arc
/// may have an element `type` with the value "inhibitor" or "read". Errors are of kind bad_file and
/// begin with the line.
[[nodiscard]] WEFT_API net read_pnml(std::string_view text);

/// Writes a net without colours; throws an error for other nets.
[[nodiscard]] WEFT_API std::string write_pnml(const net& written);

} // namespace weft::inline v0::petri
