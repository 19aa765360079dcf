#include "acts/loop/acts.hpp"
#include "acts/loop/elements.hpp"

#include <weft/algorithm.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace weft::demo::loop {

outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    return measure(settings, settings.threads, [&](elements& all) {
        workers.run([&] {
            parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { all.compute(i); });
        });
    });
}

} // namespace weft::demo::loop
