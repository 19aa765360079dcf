// Small programs on weak memory, and all that may come of them.
#pragma once

#include "support/exploring.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace weft::test {

using outcome = std::vector<int>;
using outcome_set = std::set<outcome>;

/// Everything that the scenario returns in one execution or another; the search must be exhaustive.
inline outcome_set outcomes_of(const explorer::options& bounds,
                               const std::function<outcome()>& scenario) {
    outcome_set seen;
    EXPECT_TRUE(passes(bounds, [&] { seen.insert(scenario()); }));
    return seen;
}

/// Weak memory with bounds that leave nothing out in a scenario of a few operations.
inline explorer::options unbounded() { return explorer::options::weak(100, 100); }

using maybe_fence = std::optional<std::memory_order>;

inline void fence(maybe_fence kind) {
    if (kind) explorer::atomic_thread_fence(*kind);
}

} // namespace weft::test
