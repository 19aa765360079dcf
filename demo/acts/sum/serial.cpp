#include "acts/sum/acts.hpp"
#include "acts/sum/numbers.hpp"

namespace weft::demo::sum {

outcome serially(const settings& how) { return measure(how, sum_serially); }

} // namespace weft::demo::sum
