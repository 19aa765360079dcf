// Two threads store their own word and look at the other's: may both miss each other?
#include <weft/explorer.hpp>

#include <cstdlib>

using namespace weft::explorer;
using enum std::memory_order;

namespace {

// [accesses]
void by_accesses(std::memory_order store, std::memory_order load) {
    atomic<bool> left{false};
    atomic<bool> right{false};
    bool left_missed = false;
    bool right_missed = false;
    together(
        [&] {
            left.store(true, store);
            left_missed = !right.load(load);
        },
        [&] {
            right.store(true, store);
            right_missed = !left.load(load);
        });
    check(!left_missed || !right_missed, "one sees the other");
}
// [/accesses]

// [fences]
void by_fences() {
    atomic<bool> left{false};
    atomic<bool> right{false};
    bool left_missed = false;
    bool right_missed = false;
    together(
        [&] {
            left.store(true, relaxed);
            weft::explorer::atomic_thread_fence(seq_cst);
            left_missed = !right.load(relaxed);
        },
        [&] {
            right.store(true, relaxed);
            weft::explorer::atomic_thread_fence(seq_cst);
            right_missed = !left.load(relaxed);
        });
    check(!left_missed || !right_missed, "one sees the other");
}
// [/fences]

} // namespace

int main() {
    const report weaker = explore("weaker", options::weak(), [] { by_accesses(release, acquire); });
    const report accesses =
        explore("accesses", options::weak(), [] { by_accesses(seq_cst, seq_cst); });
    const report fences = explore("fences", options::weak(), by_fences);
    return weaker.failure && accesses.exhaustive && fences.exhaustive ? EXIT_SUCCESS : EXIT_FAILURE;
}
