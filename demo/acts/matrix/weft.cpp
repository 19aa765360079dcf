#include "acts/matrix/acts.hpp"
#include "acts/matrix/product.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <memory>

namespace weft::demo::matrix {
namespace {

void multiply(matrices& all, const part& where) {
    if (where.is_block()) return multiply_block(all, where);
    fork_join([&] { multiply(all, where.half(false)); }, [&] { multiply(all, where.half(true)); });
}

/// Blocks as tasks of one queue, which are then spread over all workers.
void submit_blocks(pool& workers, matrices& all, const part& where) {
    if (where.is_block()) {
        workers.submit([&all, where] { multiply_block(all, where); });
        return;
    }
    submit_blocks(workers, all, where.half(false));
    submit_blocks(workers, all, where.half(true));
}

} // namespace

outcome with_weft(const settings& how) {
    pool workers{how.threads};
    return measure(
        how, [&](matrices& all, const part& whole) { workers.run([&] { multiply(all, whole); }); });
}

outcome with_multi_stealing(const settings& how) {
    pool workers{pool_options{
        .workers = how.threads,
        .stealing = std::make_shared<const multi_stealing>(planning::when_one_is_idle)}};
    return measure(how, [&](matrices& all, const part& whole) {
        workers.run([&] { submit_blocks(workers, all, whole); });
        workers.stop(); // which runs all of them
    });
}

} // namespace weft::demo::matrix
