# A script: writes the C++ that holds the text of a file; see weft_embed.
file(READ ${from} text)
file(CONFIGURE OUTPUT ${to} @ONLY CONTENT [==[
#include "@header@"

namespace @namespace@ {

const std::string_view @variable@ = R"embedded(@text@)embedded";

} // namespace @namespace@
]==])
