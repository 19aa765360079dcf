// Two threads store their own word and look at the other's: may both have missed each other?
#include <weft/explorer.hpp>

#include <cstdlib>

using namespace weft::explorer;
using enum std::memory_order;

namespace {

// [accesses]
void by_accesses() {
    atomic<bool> left{false};
    atomic<bool> right{false};
    bool left_missed = false;
    bool right_missed = false;
    together(
        [&] {
            left.store(true, seq_cst);
            left_missed = !right.load(seq_cst);
        },
        [&] {
            right.store(true, seq_cst);
            right_missed = !left.load(seq_cst);
        });
    check(!left_missed || !right_missed, "one sees the other"); // so it is in C++20
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
    const report accesses = explore("accesses", options::weak(), by_accesses); // a false alarm
    const report fences = explore("fences", options::weak(), by_fences);
    return accesses.failure && fences.exhaustive ? EXIT_SUCCESS : EXIT_FAILURE;
}
