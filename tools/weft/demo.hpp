// A tour of what stands.
#pragma once

namespace weft::demo {

/// Prints the tour; false if something did not come out as it should.
bool run();

} // namespace weft::demo
