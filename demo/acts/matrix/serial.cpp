#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

namespace weft::demo::matrix {

outcome serially(const settings& how) { return measure(how, multiply_serially); }

} // namespace weft::demo::matrix
