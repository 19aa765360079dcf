// What a coroutine pays for a wait: of a child, of another turn, of a task of its pool, of a
// resource, of two children at once; and what a million of them that wait cost.
#pragma once

#include "runner/timed.hpp"
#include "runner/workload.hpp"

#include "shell/stopwatch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench::coroutines {

struct problem {
    std::string kind;
    std::int64_t waits;
    [[nodiscard]] parameters describe() const { return {{"kind", kind}, {"waits", waits}}; }
};

/// The number of waits of each kind, in a usual and in a full run.
inline std::int64_t waits_of(const request& request, std::int64_t usual) {
    return request.choose(usual, 10 * usual);
}

/// `run(waits)` starts a coroutine with so many waits, waits for it, and returns how many it made.
inline contestant timed_waits(const problem& chosen,
                              std::function<std::int64_t(std::int64_t)> run) {
    return {chosen.describe(), {}, [chosen, run = std::move(run)]() -> std::vector<sample> {
                const weft::cli::stopwatch watch;
                const std::int64_t made = run(chosen.waits);
                const double seconds = watch.seconds();
                expect_equal("waits", made, chosen.waits);
                return {{"ns_per_wait", seconds * 1e9 / static_cast<double>(made), "ns"}};
            }};
}

} // namespace bench::coroutines
