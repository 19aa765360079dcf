#include "pool.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace bench::ranks {
namespace {

std::int64_t count(const uts::tree& whole, const uts::node& parent);

std::int64_t count_children(const uts::tree& whole, const uts::node& parent, int first, int last) {
    if (first == last) return 0;
    if (last - first == 1) return count(whole, uts::child_of(parent, first));
    const int middle = first + (last - first) / 2;
    const auto [left, right] =
        weft::fork_join([&] { return count_children(whole, parent, first, middle); },
                        [&] { return count_children(whole, parent, middle, last); });
    return left + right;
}

std::int64_t count(const uts::tree& whole, const uts::node& parent) {
    return 1 + count_children(whole, parent, 0, uts::children_of(whole, parent));
}

} // namespace

std::int64_t count_on_pool(const uts::tree& whole, std::size_t workers) {
    static weft::pool pool{workers};
    return pool.run([&] { return count(whole, uts::root_of(whole)); });
}

} // namespace bench::ranks
