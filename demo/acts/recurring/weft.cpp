#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

namespace weft::demo::recurring {
namespace {

/// Schedules itself again until the end.
struct always_due {
    const std::atomic<bool>& stop;
    counter& runs;
    void operator()(contract_token& token) const {
        if (stop.load(std::memory_order_relaxed)) return;
        work();
        runs.add();
        token.schedule();
    }
};

} // namespace

outcome with_weft(const settings& settings) {
    std::vector<counter> counts(tasks);
    std::atomic<bool> stop{false};
    pool workers{settings.threads};
    contract_group group{workers};
    std::vector<contract> all;
    for (counter& each : counts) all.push_back(group.create(always_due{stop, each}));
    const stopwatch watch;
    for (const contract& each : all) each.schedule();
    let_run(settings, counts);
    stop = true;
    group.wait();
    return summarize(watch.seconds(), counts);
}

} // namespace weft::demo::recurring
