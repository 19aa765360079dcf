#include "models/drawing.hpp"

#include <algorithm>
#include <string>

namespace weft::models {

namespace {

constexpr double core_width = 300;

bool has_place(const petri::net& drawn, const std::string& name) {
    return std::ranges::find(drawn.places(), name, &petri::place_data::name) !=
           drawn.places().end();
}

} // namespace

void draw_multi_stealing(petri::net& drawn, std::size_t cores) {
    const double width = core_width * static_cast<double>(cores);
    drawn.draw_transition(drawn.transition_named("MSS"), {width / 2, 60});
    // Off centre if the number of cores is odd, because a core's list is drawn in the centre.
    const double aside = cores % 2 == 1 && cores > 1 ? core_width / 2 : 0;
    drawn.draw_place(drawn.place_named("GuardsValue"), {width / 2 + aside, 210});
    for (std::size_t core = 0; core != cores; ++core) {
        const std::string number = std::to_string(core + 1);
        const double middle = core_width * (static_cast<double>(core) + 0.5);
        drawn.draw_place(drawn.place_named("List " + number), {middle, 140});
        drawn.draw_transition(drawn.transition_named("Core" + number + ".LTS"), {middle - 70, 320});
        drawn.draw_transition(drawn.transition_named("Core" + number + ".Multiplier"),
                              {middle + 70, 320});
    }
    drawn.draw_place(drawn.place_named("LeafLevel"), {width * 0.3, 440});
    drawn.draw_place(drawn.place_named("C"), {width * 0.7, 440});
    if (!has_place(drawn, "A")) return;
    drawn.draw_place(drawn.place_named("A"), {width * 0.5, 490});
    drawn.draw_place(drawn.place_named("B"), {width * 0.9, 490});
}

} // namespace weft::models
