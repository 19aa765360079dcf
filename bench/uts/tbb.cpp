#include "runner/tbb_stage.hpp"
#include "uts/config.hpp"

#include <atomic>

namespace bench::uts {
namespace {

std::int64_t count(const tree& of, const node& here) {
    const int children = children_of(of, here);
    if (children == 0) return 1;
    std::atomic<std::int64_t> total{1};
    tbb::task_group group;
    for (int each = 0; each != children; ++each) {
        group.run([&of, &here, &total, each] {
            total.fetch_add(count(of, child_of(here, each)), std::memory_order_relaxed);
        });
    }
    group.wait();
    return total.load(std::memory_order_relaxed);
}

const registration registered{
    {"uts", "tbb", [](const request& how) { return contestants<tbb_stage>(how, count); }}};

} // namespace
} // namespace bench::uts
