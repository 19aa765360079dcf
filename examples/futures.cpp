// Futures: submitted anywhere, joined anywhere, continued without a waiting thread.
#include <weft/blocking.hpp>
#include <weft/future.hpp>
#include <weft/task_group.hpp>
#include <weft/when_all.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace {

// [join]
/// Collatz: the number of steps until 1 is reached.
int steps(long n) { return n == 1 ? 0 : 1 + steps(n % 2 == 0 ? n / 2 : 3 * n + 1); }

int most_steps(weft::pool& pool, long count) {
    std::vector<weft::future<int>> results;
    for (long n = 1; n <= count; ++n) results.push_back(pool.submit([n] { return steps(n); }));

    int most = 0;
    for (auto& each : results) most = std::max(most, each.get()); // in any order
    return most;
}
// [/join]

// [then]
weft::future<std::string> greeting(weft::pool& pool, std::string name) {
    return pool.submit([name = std::move(name)] { return "Hello, " + name; })
        .then([](weft::future<std::string> hello) { return hello.get() + "!"; });
}
// [/then]

// [several]
weft::future<int> area(weft::pool& pool) {
    return weft::when_all(pool.submit([] { return 6; }), pool.submit([] { return 7; }))
        .then([](auto both) {
            auto [width, height] = both.get(); // two futures, both ready
            return width.get() * height.get();
        });
}
// [/several]

int greet_all(weft::pool& pool, const std::vector<std::string>& names) {
    std::atomic<int> greeted{0};
    const auto greet = [&greeted](const std::string& name) { greeted += name.empty() ? 0 : 1; };
    // [post]
    for (const std::string& name : names) pool.post([&greet, &name] { greet(name); });
    pool.wait_idle(); // every task has ended
    // [/post]
    return greeted;
}

// [group]
int count_words(const std::vector<std::string>& lines) {
    std::atomic<int> words{0};
    weft::task_group group; // on the pool of the calling worker
    for (const std::string& line : lines) {
        group.submit(
            [&] { words += static_cast<int>(std::count(line.begin(), line.end(), ' ')) + 1; });
    }
    group.wait();
    return words;
}
// [/group]

// [error]
std::string why_not(weft::pool& pool) {
    const std::stop_source source;
    source.request_stop();
    auto late = pool.submit({.stop = source.get_token()}, [] { return 1; });
    try {
        late.get();
    } catch (const weft::error& failed) {
        return std::string{weft::name_of(failed.code())};
    }
    return "it ran";
}
// [/error]

// [blocking]
std::string read_line(auto& slow_device) {
    return weft::blocking([&] { return slow_device.read(); });
}
// [/blocking]

struct device {
    static std::string read() { return "one line"; }
};

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    weft::pool pool{2};
    device slow;
    const bool right =
        most_steps(pool, 100) == 118 && greeting(pool, "weft").get() == "Hello, weft!" &&
        area(pool).get() == 42 && greet_all(pool, {"warp", "weft"}) == 2 &&
        pool.run([] { return count_words({"one", "two words", "and three more"}); }) == 6 &&
        why_not(pool) == "cancelled" && pool.run([&] { return read_line(slow); }) == "one line";
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
