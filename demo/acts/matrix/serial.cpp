#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

namespace weft::demo::matrix {

outcome serially(const settings& settings) { return measure(settings, multiply_serially); }

} // namespace weft::demo::matrix
