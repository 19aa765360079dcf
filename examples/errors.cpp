// What can go wrong, and how a program learns of it.
#include <weft/fork_join.hpp>
#include <weft/resource.hpp>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

// [code]
/// Submits, if the pool still accepts work; otherwise computes in the calling thread.
int compute(weft::pool& pool) {
    const auto work = [] { return 42; };
    try {
        return pool.submit(work).get();
    } catch (const weft::error& wrong) {
        if (wrong.code() != weft::errc::stopped) throw;
        return work();
    }
}
// [/code]

// [handler]
/// The future is dropped, so `on_error` is the only place where the exception can go.
int forget_and_count() {
    std::atomic<int> failures{0};
    {
        weft::pool pool{{.on_error = [&](const std::exception_ptr&) { ++failures; }}};
        pool.submit([] { throw std::runtime_error{"no luck"}; });
    } // the pool runs what is queued
    return failures;
}
// [/handler]

// [waits]
struct data {
    int value = 20;
};

/// On a worker: waiting for a resource task is refused; `then` does what was meant.
weft::future<int> twice(weft::resource<data>& some) {
    auto value = weft::when(weft::read(some)).submit([](const data& it) { return it.value; });
    return std::move(value).then([](weft::future<int> ready) { return 2 * ready.get(); });
}
// [/waits]

bool is_refused(weft::resource<data>& some) {
    auto later = weft::when(some).submit([](data& it) { return it.value; }).then([](auto ready) {
        return ready.get();
    });
    try {
        return later.get() == 20; // it may be ready already
    } catch (const weft::error& wrong) {
        return wrong.code() == weft::errc::would_deadlock;
    }
}

// [both]
/// Both throw: the first in argument order is thrown, the other is kept.
std::string both_fail() {
    try {
        weft::fork_join([] { throw std::runtime_error{"left"}; },
                        [] { throw std::runtime_error{"right"}; });
    } catch (const std::runtime_error& first) {
        return first.what() + std::to_string(weft::suppressed_exceptions().size());
    }
    return "";
}
// [/both]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    weft::resource<data> some;
    weft::pool pool{2};
    bool right = compute(pool) == 42 && forget_and_count() == 1;
    right = right && pool.run([&] { return twice(some); }).get() == 40;
    right = right && pool.run([&] { return is_refused(some); });
    right = right && pool.run([] { return both_fail(); }) == "left1";
    pool.stop();
    return right && compute(pool) == 42 ? EXIT_SUCCESS : EXIT_FAILURE;
}
