// Market data: one contract per instrument, run when there is a new price, and only then.
#include <weft/contract.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <thread>

namespace {

// [instrument]
/// What the feeds write, and what is computed from it. Only the contract touches the results, one
/// run at a time: plain variables are enough.
struct instrument {
    std::atomic<std::int64_t> newest{0};
    std::int64_t last = 0;
    std::int64_t highest = 0;
    std::int64_t runs = 0;
    weft::contract update;

    void compute() {
        last = newest;
        highest = std::max(highest, last);
        ++runs;
    }
    /// From any thread. A price that is replaced before the next run is never computed.
    void tick(std::int64_t price) {
        newest = price;
        update.schedule();
    }
};
// [/instrument]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    constexpr std::size_t count = 1'000;
    constexpr std::int64_t ticks = 100;
    constexpr std::int64_t noise = 100'000;

    // [run]
    std::deque<instrument> market(count); // before the group, whose contracts refer to it
    weft::pool pool{2};
    weft::contract_group group{pool};
    for (instrument& each : market) each.update = group.create([&each] { each.compute(); });

    {
        const std::jthread calm{[&] {
            for (std::int64_t price = 1; price <= ticks; ++price) {
                for (std::size_t which = 1; which != count; ++which) market[which].tick(price);
            }
        }};
        const std::jthread noisy{[&] { // one instrument that never rests does not delay the others
            for (std::int64_t price = 1; price <= noise; ++price) market[0].tick(price);
        }};
    }
    group.wait(); // every price that was not replaced has been computed
    // [/run]

    bool right = market[0].last == noise;
    std::int64_t runs = 0;
    for (std::size_t which = 1; which != count; ++which) {
        const instrument& each = market[which];
        right = right && each.last == ticks && each.highest == ticks && each.runs >= 1;
        runs += each.runs;
    }
    std::cout << noise << " prices of one instrument in " << market[0].runs << " runs, "
              << ticks * std::int64_t{count - 1} << " of " << count - 1 << " others in " << runs
              << "; every last price was seen: " << (right ? "yes" : "NO") << '\n';
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
