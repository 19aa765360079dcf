// The tour: what weft does, step by step.
#pragma once

#include <string>

namespace weft::tour {

/// Prints the tour; false if a step did not end as it should.
bool run();

/// The part about the pool.
bool show_pool();

void say(const std::string& text);

} // namespace weft::tour
