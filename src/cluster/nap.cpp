#include "cluster/nap.hpp"

#include <weft/detail/sync/parker.hpp>

#include <chrono>

namespace weft::inline v0::detail {

struct napper::state {
    sync::parker parker;
};

napper::napper() : state_{std::make_unique<state>()} {}
napper::~napper() = default;

void napper::nap(double seconds) noexcept {
    const std::chrono::duration<double> time{seconds};
    state_->parker.park_for(std::chrono::duration_cast<sync::clock::duration>(time));
}
void napper::wake() noexcept { state_->parker.unpark(); }

} // namespace weft::inline v0::detail
