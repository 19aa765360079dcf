// The tour of what weft does.
#pragma once

#include <string>

namespace weft::tour {

/// Shows it on standard output; false if something came out otherwise than it should.
bool run();

/// The part about the pool.
bool show_pool();

void say(const std::string& text);

} // namespace weft::tour
