#include "acts/contracts/acts.hpp"
#include "acts/contracts/market.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <vector>

namespace weft::demo::contracts {

outcome with_weft(const settings& settings) {
    market all;
    pool workers{settings.threads};
    contract_group group{workers};
    std::vector<contract> made;
    for (std::size_t each = 0; each != sources; ++each) {
        made.push_back(group.create([&all, each] { all.handle(each); }));
    }
    all.run(settings, [&](std::size_t index) { made[index].schedule(); });
    group.wait(); // until nothing is due
    outcome result = all.close();
    const auto unanswered = std::ranges::find(result.figures, "unanswered", &figure::name);
    result.checks.push_back({"all news were handled", unanswered->value == 0});
    return result;
}

} // namespace weft::demo::contracts
