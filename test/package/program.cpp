// A program of somebody who uses weft: some of every part, so that every part must be there.
#include <weft/weft.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

int fib(int n) {
    if (n < 2) return n;
    const auto [a, b] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}

bool errors_arrive(weft::pool& pool) {
    weft::future<int> wrong = pool.submit([]() -> int { throw std::runtime_error{"wrong"}; });
    try {
        static_cast<void>(wrong.get());
    } catch (const std::runtime_error&) {
        try {
            static_cast<void>(fib(2)); // outside the pool
        } catch (const weft::error& refused) {
            return refused.code() == weft::errc::outside_pool;
        }
    }
    return false;
}

bool resources_work(weft::pool& pool) {
    weft::resource<int> account{100};
    weft::when(weft::write(account)).submit(pool, [](int& balance) { ++balance; }).get();
    const auto look = [](const int& balance) { return balance; };
    return weft::when(weft::read(account)).submit(pool, look).get() == 101;
}

bool contracts_run() {
    int runs = 0;
    weft::contract_group group;
    const weft::contract counted = group.create([&] { ++runs; });
    counted.schedule();
    while (group.try_execute_next()) {
    }
    return runs == 1;
}

} // namespace

int main() {
    weft::pool pool{2};
    const bool good = pool.run([] { return fib(20); }) == 6'765 && errors_arrive(pool) &&
                      resources_work(pool) && contracts_run();
    std::printf("weft %s: %s\n", weft::version.data(), good ? "works" : "fails");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
