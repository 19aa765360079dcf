#include "coroutine/config.hpp"

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

namespace bench::coroutines {
namespace {

[[gnu::noinline]] asio::awaitable<std::int64_t> child() { co_return 1; }

asio::awaitable<std::int64_t> await_children(std::int64_t waits) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i != waits; ++i) sum += co_await child();
    co_return sum;
}
asio::awaitable<std::int64_t> descend(std::int64_t waits) {
    if (waits == 0) co_return 0;
    co_return 1 + co_await descend(waits - 1);
}
asio::awaitable<std::int64_t> take_turns(asio::thread_pool& workers, std::int64_t waits) {
    std::int64_t sum = 0;
    for (; sum != waits; ++sum) co_await asio::post(workers, asio::use_awaitable);
    co_return sum;
}
/// A coroutine of its own instead of a task, whose result the other waits for.
asio::awaitable<std::int64_t> await_pool_tasks(asio::thread_pool& workers, std::int64_t waits) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i != waits; ++i) {
        sum += co_await asio::co_spawn(workers, child(), asio::use_awaitable);
    }
    co_return sum;
}

std::vector<contestant> prepare(const request& request) {
    const auto workers = std::make_shared<asio::thread_pool>(request.threads);
    const auto add = [&](const char* kind, std::int64_t usual, auto start) {
        return timed_waits({kind, waits_of(request, usual)}, [workers, start](std::int64_t waits) {
            return asio::co_spawn(*workers, start(waits), asio::use_future).get();
        });
    };
    return {
        add("child", 1'000'000, [](std::int64_t waits) { return await_children(waits); }),
        add("depth", 100'000, [](std::int64_t waits) { return descend(waits); }),
        add("turn", 200'000,
            [pool = workers.get()](std::int64_t waits) { return take_turns(*pool, waits); }),
        add("pool task", 200'000,
            [pool = workers.get()](std::int64_t waits) { return await_pool_tasks(*pool, waits); }),
    };
}

const registration registered{{"coroutine", "asio", prepare}};

} // namespace
} // namespace bench::coroutines
