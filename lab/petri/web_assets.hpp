// The files of the page, which the build makes into C++.
#pragma once

#include <string_view>

namespace weft::inline v0::petri {

extern const std::string_view token_game_page; // token_game.html

} // namespace weft::inline v0::petri
