#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <memory>

namespace weft::demo::matrix {
namespace {

void multiply(matrices& all, const part& area) {
    if (area.is_block()) return multiply_block(all, area);
    fork_join([&] { multiply(all, area.half(false)); }, [&] { multiply(all, area.half(true)); });
}

/// Blocks as tasks of one queue, which are then spread over all workers.
void submit_blocks(pool& workers, matrices& all, const part& area) {
    if (area.is_block()) {
        workers.submit([&all, area] { multiply_block(all, area); });
        return;
    }
    submit_blocks(workers, all, area.half(false));
    submit_blocks(workers, all, area.half(true));
}

} // namespace

outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    return measure(settings, [&](matrices& all, const part& whole) {
        workers.run([&] { multiply(all, whole); });
    });
}

outcome with_multi_stealing(const settings& settings) {
    pool workers{pool_options{
        .workers = settings.threads,
        .stealing = std::make_shared<const multi_stealing>(planning::when_one_is_idle)}};
    return measure(settings, [&](matrices& all, const part& whole) {
        workers.run([&] { submit_blocks(workers, all, whole); });
        workers.stop(); // runs all of them
    });
}

} // namespace weft::demo::matrix
