#include "acts/idle/acts.hpp"
#include "acts/idle/burst.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <vector>

namespace weft::demo::idle {

/// With ten thousand contracts of which none is due: they must cost nothing either.
outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    contract_group group{workers};
    std::vector<contract> all;
    for (int each = 0; each != 10'000; ++each) all.push_back(group.create(work));
    for (int each = 0; each != burst; ++each) all[static_cast<std::size_t>(each)].schedule();
    group.wait();
    outcome result = measure_idleness(settings);
    // On a busy machine it takes a while until the workers sleep.
    const auto is_little = [](const outcome& one) { return one.figures.front().value < 5; };
    bool idle = is_little(result);
    for (int tries = 0; tries != 20 && !idle; ++tries) idle = is_little(measure_idleness(settings));
    result.checks.push_back({"idle workers use less than 5 % of a CPU", idle});
    return result;
}

} // namespace weft::demo::idle
