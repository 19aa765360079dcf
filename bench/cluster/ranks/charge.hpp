// The cost of computation, where a simulator does not see it.
#pragma once

namespace bench::ranks {

/// What was just computed takes this time in a simulation. On a real machine it has taken its own.
void charge(double seconds);
/// Computes for this time, real or simulated.
void spend(double seconds);

} // namespace bench::ranks
