#include "petri/boundedness.hpp"

#include <weft/lab/invariants.hpp>

#include <algorithm>

namespace weft::inline v0::petri {

bool is_structurally_bounded(const net& net) {
    const auto flow = incidence(net);
    if (!flow) return false;
    const invariants found = place_invariants(*flow);
    std::vector<bool> covered(net.places().size(), false);
    for (const auto& each : found.vectors) {
        for (std::size_t place = 0; place != each.size(); ++place) {
            if (each[place] != 0) covered[place] = true;
        }
    }
    return std::ranges::all_of(covered, [](bool each) { return each; });
}

std::vector<place_index> places_that_grew(const net& net, const marking& earlier,
                                          const marking& later) {
    std::vector<place_index> grown;
    for (place_index each = 0; each != later.size(); ++each) {
        if (earlier[each] == later[each]) continue;
        const bool more = net.places()[each].is_plain()
                              ? later[each] > earlier[each]
                              : net.bags().includes(later[each], earlier[each]);
        if (!more) return {};
        grown.push_back(each);
    }
    return grown;
}

} // namespace weft::inline v0::petri
