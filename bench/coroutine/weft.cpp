#include "coroutine/config.hpp"

#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/resource.hpp>
#include <weft/shared_future.hpp>

#include <malloc.h>

#include <stop_token>
#include <utility>

namespace bench::coroutines {
namespace {

[[gnu::noinline]] weft::task<std::int64_t> child() { co_return 1; }

weft::task<std::int64_t> await_children(std::int64_t waits) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i != waits; ++i) sum += co_await child();
    co_return sum;
}
/// As deep as there are waits.
weft::task<std::int64_t> descend(std::int64_t waits) {
    if (waits == 0) co_return 0;
    co_return 1 + co_await descend(waits - 1);
}
weft::task<std::int64_t> take_turns(std::int64_t waits) {
    std::int64_t sum = 0;
    for (; sum != waits; ++sum) co_await weft::yield();
    co_return sum;
}
weft::task<std::int64_t> await_pool_tasks(weft::pool& workers, std::int64_t waits) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i != waits; ++i) {
        weft::future<std::int64_t> submitted = workers.submit([] { return std::int64_t{1}; });
        sum += co_await submitted;
    }
    co_return sum;
}
weft::task<std::int64_t> await_resource(weft::resource<std::int64_t>& counted, std::int64_t waits) {
    for (std::int64_t i = 0; i != waits; ++i) {
        const auto held = co_await weft::when(counted);
        ++held.get<0>();
    }
    const auto held = co_await weft::when(counted);
    co_return std::exchange(held.get<0>(), 0);
}
weft::task<std::int64_t> await_two_at_once(std::int64_t waits) {
    std::int64_t sum = 0;
    for (; sum != waits; sum += 2) {
        co_await weft::when_all(child(), child());
    }
    co_return sum;
}

weft::task<> wait_for(weft::shared_future<void> opened) { co_await opened; }

std::int64_t allocated_bytes() {
    const auto now = ::mallinfo2();
    return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

/// Coroutines that all wait: the memory of a frame, what each has beside it, and the time to end
/// one of them. The memory is what malloc has given, its own headers included.
std::vector<sample> keep_alive(weft::pool& workers, std::int64_t count, bool stopped) {
    const std::stop_source source;
    weft::completion<void> open{workers};
    const weft::shared_future<void> opened = open.get_future().share();
    std::vector<weft::future<void>> waiting;
    waiting.reserve(static_cast<std::size_t>(count));
    std::vector<weft::task<>> unbegun;
    unbegun.reserve(static_cast<std::size_t>(count));
    const std::int64_t before = allocated_bytes();
    for (std::int64_t i = 0; i != count; ++i) unbegun.push_back(wait_for(opened));
    const std::int64_t with_frames = allocated_bytes();
    const weft::task_options options =
        stopped ? weft::task_options{source.get_token()} : weft::task_options{};
    for (weft::task<>& each : unbegun) waiting.push_back(workers.submit(options, std::move(each)));
    workers.wait_idle();
    const std::int64_t all = allocated_bytes();
    const weft::cli::stopwatch watch;
    std::stop_source end = source;
    if (stopped) end.request_stop();
    else open.complete();
    for (weft::future<void>& each : waiting) each.wait();
    const double seconds = watch.seconds();
    if (stopped) {
        for (weft::future<void>& each : waiting) {
            try {
                each.get();
                throw wrong_result{"a coroutine was not stopped"};
            } catch (const weft::error&) { // NOLINT(bugprone-empty-catch): as it should
            }
        }
        open.complete();
    }
    const auto share = [count](std::int64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(count);
    };
    return {{"frame", share(with_frames - before), "B"},
            {"beside_frame", share(all - with_frames), "B"},
            {"ns_to_end", seconds * 1e9 / static_cast<double>(count), "ns"}};
}

std::vector<contestant> prepare(const request& request) {
    const auto workers = std::make_shared<weft::pool>(request.threads);
    const auto counted = std::make_shared<weft::resource<std::int64_t>>(0);
    const auto add = [&](const char* kind, std::int64_t usual, auto start) {
        return timed_waits({kind, waits_of(request, usual)}, [workers, start](std::int64_t waits) {
            return workers->run(start(waits));
        });
    };
    std::vector<contestant> made{
        add("child", 1'000'000, [](std::int64_t waits) { return await_children(waits); }),
        add("depth", 100'000, [](std::int64_t waits) { return descend(waits); }),
        add("turn", 200'000, [](std::int64_t waits) { return take_turns(waits); }),
        add("pool task", 200'000,
            [pool = workers.get()](std::int64_t waits) { return await_pool_tasks(*pool, waits); }),
        add("resource", 200'000,
            [counted](std::int64_t waits) { return await_resource(*counted, waits); }),
        add("two at once", 100'000, [](std::int64_t waits) { return await_two_at_once(waits); }),
    };
    for (const bool stopped : {false, true}) {
        const problem chosen{stopped ? "alive, stopped" : "alive",
                             request.choose<std::int64_t>(100'000, 1'000'000)};
        made.push_back({chosen.describe(), {}, [workers, chosen, stopped] {
                            return keep_alive(*workers, chosen.waits, stopped);
                        }});
    }
    return made;
}

const registration registered{{"coroutine", "weft", prepare}};

} // namespace
} // namespace bench::coroutines
