#include "acts/idle/acts.hpp"
#include "acts/idle/burst.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <vector>

namespace weft::demo::idle {

/// With ten thousand contracts of which none is due, for they must cost nothing either.
outcome with_weft(const settings& how) {
    pool workers{how.threads};
    contract_group group{workers};
    std::vector<contract> all;
    for (int each = 0; each != 10'000; ++each) all.push_back(group.create(work));
    for (int each = 0; each != burst; ++each) all[static_cast<std::size_t>(each)].schedule();
    group.wait();
    outcome told = measure_idleness(how);
    told.checks.push_back(
        {"idle workers use less than a twentieth of a CPU", told.figures.front().value < 5});
    return told;
}

} // namespace weft::demo::idle
