#include "charge.hpp"

#include <smpi/smpi.h>

namespace bench::ranks {

void charge(double seconds) { smpi_execute(seconds); }
void spend(double seconds) { smpi_execute(seconds); }

} // namespace bench::ranks
