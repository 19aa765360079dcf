#include "runner/tbb_stage.hpp"
#include "uts/config.hpp"

#include <atomic>

namespace bench::uts {
namespace {

std::int64_t count(const tree& whole, const node& parent) {
    const int children = children_of(whole, parent);
    if (children == 0) return 1;
    std::atomic<std::int64_t> total{1};
    tbb::task_group group;
    for (int each = 0; each != children; ++each) {
        group.run([&whole, &parent, &total, each] {
            total.fetch_add(count(whole, child_of(parent, each)), std::memory_order_relaxed);
        });
    }
    group.wait();
    return total.load(std::memory_order_relaxed);
}

const registration registered{
    {"uts", "tbb", [](const request& request) { return contestants<tbb_stage>(request, count); }}};

} // namespace
} // namespace bench::uts
