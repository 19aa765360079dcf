// The files of the page, which the build makes into C++.
#pragma once

#include <string_view>

namespace weft::petri {

extern const std::string_view token_game_page; // token_game.html

} // namespace weft::petri
