// A timed wait, and both of its ends.
#include <weft/explorer.hpp>

#include <chrono>
#include <cstdlib>

using namespace weft::explorer;

namespace {

// [deadline]
void wait_for_a_token() {
    parker bed;
    const clock::time_point deadline = clock::now() + std::chrono::seconds{1};
    bool woken = false;
    together([&] { woken = bed.park_until(deadline); }, [&] { bed.unpark(); });
    check(woken == (clock::now() < deadline), "time passes only if the wait runs out");
}
// [/deadline]

} // namespace

int main() {
    const report both = explore("deadline", options::weak(), wait_for_a_token);
    return both.exhaustive && both.executions > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
