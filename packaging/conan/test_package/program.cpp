#include <weft/weft.hpp>

int main() {
    weft::pool pool{2};
    const auto [a, b] =
        pool.run([] { return weft::fork_join([] { return 1; }, [] { return 2; }); });
    return a + b == 3 ? 0 : 1;
}
