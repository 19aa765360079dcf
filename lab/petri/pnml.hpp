// Place/transition nets in PNML (ISO/IEC 15909-2), read and written.
#pragma once

#include "petri/net.hpp"

#include <string>
#include <string_view>

namespace weft::petri {

/// The first net of the file, with its pages put together. Beyond the standard an arc may have an element `type` with
/// the value "inhibitor" or "read". An error of kind bad_file names the line of what is wrong.
[[nodiscard]] net read_pnml(std::string_view text);

/// An error if the net has colours.
[[nodiscard]] std::string write_pnml(const net& of);

} // namespace weft::petri
