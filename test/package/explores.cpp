// A program of somebody who checks code for threads.
#include <weft/explorer.hpp>

#include <cstdlib>

using namespace weft::explorer;

int main() {
    const report found = explore("count", options::weak(), [] {
        atomic<int> count{0};
        const auto add = [&] {
            count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        };
        together(add, add);
        check(count.load(std::memory_order_relaxed) == 2, "nothing is lost");
    });
    return found.failure ? EXIT_SUCCESS : EXIT_FAILURE;
}
