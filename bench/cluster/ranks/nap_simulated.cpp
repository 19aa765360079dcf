// In place of src/cluster/nap.cpp: ranks of a simulation are one thread, whose sleep is simulated.
#include "cluster/nap.hpp"

#include <smpi/smpi.h>

namespace weft::inline v0::detail {

struct napper::state {};

napper::napper() = default;
napper::~napper() = default;
void napper::nap(double seconds) noexcept { smpi_usleep(static_cast<useconds_t>(seconds * 1e6)); }
void napper::wake() noexcept {}

} // namespace weft::inline v0::detail
