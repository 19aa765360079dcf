// Two arrivals in any order; the last one acts.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Two threads arrive, once each. What came before either arrival happens before the last one
/// returns.
///
/// | operation | caller                  | progress  |
/// |-----------|-------------------------|-----------|
/// | arrive    | each of the two, once   | wait-free |
class arrival_pair {
public:
    /// True for the last of the two. After false, the pair may be gone.
    [[nodiscard]] bool arrive() noexcept {
        // release for what came before, acquire for the last to have it all [HOLD-1]
        return missing_.fetch_sub(1, sync::acq_rel) == 1;
    }

private:
    sync::atomic<std::uint32_t> missing_{2};
};

} // namespace weft::inline v0::detail
