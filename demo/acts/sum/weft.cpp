#include "acts/sum/acts.hpp"
#include "acts/sum/numbers.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace weft::demo::sum {
namespace {

int parallel_sum(numbers some) {
    if (some.size() < grain) return sum_serially(some);
    const std::size_t half = some.size() / 2;
    const auto [left, right] = fork_join([&] { return parallel_sum(some.first(half)); },
                                         [&] { return parallel_sum(some.subspan(half)); });
    return left + right;
}

} // namespace

outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    return measure(settings,
                   [&](numbers all) { return workers.run([&] { return parallel_sum(all); }); });
}

} // namespace weft::demo::sum
