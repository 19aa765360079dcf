#include "acts/nested/acts.hpp"
#include "acts/nested/fibonacci.hpp"

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>

#include <future>

namespace weft::demo::nested {
namespace {

std::int64_t fibonacci(asio::thread_pool& pool, int n);

std::future<std::int64_t> fork(asio::thread_pool& pool, int n) {
    std::packaged_task<std::int64_t()> task{[&pool, n] { return fibonacci(pool, n); }};
    auto result = task.get_future();
    asio::post(pool, std::move(task));
    return result;
}

std::int64_t fibonacci(asio::thread_pool& pool, int n) {
    if (n < 2) return n;
    auto one = fork(pool, n - 1);
    auto two = fork(pool, n - 2);
    return one.get() + two.get(); // blocks the thread, and soon all threads
}

} // namespace

outcome with_asio(const settings& settings) {
    asio::thread_pool pool{settings.threads};
    return measure([&] { return fork(pool, number).get(); });
}

} // namespace weft::demo::nested
