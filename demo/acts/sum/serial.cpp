#include "acts/sum/acts.hpp"
#include "acts/sum/numbers.hpp"

namespace weft::demo::sum {

outcome serially(const settings& settings) { return measure(settings, sum_serially); }

} // namespace weft::demo::sum
