// A letter and a flag: the explorer finds the missing order, and nothing once it is there.
// [all]
#include <weft/explorer.hpp>

#include <cstdlib>

using namespace weft::explorer;
using enum std::memory_order;

namespace {

// One thread leaves a letter and raises a flag; another sees the flag and reads the letter.
void deliver(std::memory_order raise, std::memory_order look) {
    plain<int> letter{0};
    atomic<bool> flag{false};
    letter.label("letter");
    flag.label("flag");
    together(named{"writer",
                   [&] {
                       letter.write(42);
                       flag.store(true, raise);
                   }},
             named{"reader", [&] {
                       if (flag.load(look)) check(letter.read() == 42, "the letter is there");
                   }});
}

} // namespace

int main() {
    const report wrong = explore("relaxed", options::weak(), [] { deliver(relaxed, relaxed); });
    const report right = explore("ordered", options::weak(), [] { deliver(release, acquire); });
    return wrong.failure && right.exhaustive ? EXIT_SUCCESS : EXIT_FAILURE;
}
// [/all]
