// A lock that spins, and a counter that needs none: what happens if a thread stops for ever?
#include <weft/explorer.hpp>

#include <cstdlib>

using namespace weft::explorer;
using enum std::memory_order;

namespace {

// [lock]
class spin_lock {
public:
    void lock() {
        while (locked_.exchange(true, acquire)) yield();
    }
    void unlock() { locked_.store(false, release); }

private:
    atomic<bool> locked_{false};
};

void count_with_a_lock() {
    spin_lock lock;
    plain<int> counter{0};
    const auto count = [&] {
        lock.lock();
        ++counter.modify();
        lock.unlock();
    };
    together(count, count);
    check(counter.read() == 2, "nothing is lost");
}
// [/lock]

// [freeze]
void count_without() {
    atomic<int> counter{0};
    const auto count = [&] { counter.fetch_add(1, relaxed); };
    together(count, count);
    check(counter.load(relaxed) == 2, "nothing is lost");
}

bool is_as_told() {
    options how = options::weak();
    how.max_steps = 20; // a livelock's steps are printed: few will do
    const report locked = explore("with a lock", how, count_with_a_lock);
    const report stopped = explore("with a lock", how.freezing(), count_with_a_lock);
    const report lock_free = explore("without", how.freezing(), count_without);
    return locked.exhaustive && lock_free.exhaustive && stopped.failure &&
           stopped.failure->kind == failure_kind::blocked_by_frozen;
}
// [/freeze]

} // namespace

int main() { return is_as_told() ? EXIT_SUCCESS : EXIT_FAILURE; }
