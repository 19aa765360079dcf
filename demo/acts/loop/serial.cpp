#include "acts/loop/acts.hpp"
#include "acts/loop/elements.hpp"

namespace weft::demo::loop {

outcome serially(const settings& settings) {
    return measure(settings, 1, [](elements& all) {
        for (std::size_t i = 0; i != all.size(); ++i) all.compute(i);
    });
}

} // namespace weft::demo::loop
