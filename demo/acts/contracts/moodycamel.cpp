// moodycamel's queue, whose threads sleep when it is empty.
#include "acts/contracts/acts.hpp"
#include "acts/contracts/market.hpp"

#include <concurrentqueue/blockingconcurrentqueue.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::demo::contracts {
namespace {

using queue_type = moodycamel::BlockingConcurrentQueue<std::uint32_t>;
constexpr std::uint32_t no_more = ~std::uint32_t{0};

/// Threads that call `handle(item)` until the clock has ended. What is queued then is left.
template <class Handle, class Signal>
void serve(const settings& how, queue_type& queue, market& all, Handle handle, Signal signal) {
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number != how.threads; ++number) {
        threads.emplace_back([&] {
            moodycamel::ConsumerToken mine{queue};
            for (;;) {
                std::uint32_t next = 0;
                queue.wait_dequeue(mine, next);
                if (ended.load(std::memory_order_relaxed) || next == no_more) return;
                handle(next);
            }
        });
    }
    all.run(how, signal);
    ended = true;
    for (std::size_t number = 0; number != how.threads; ++number) queue.enqueue(no_more);
    for (std::thread& each : threads) each.join();
}

} // namespace

/// An entry for each piece of news, and a mutex for each source. The noisy one fills the queue.
outcome with_queue_of_events(const settings& how) {
    market all;
    queue_type queue;
    const auto locks = std::make_unique<std::mutex[]>(sources);
    const auto handle = [&](std::uint32_t which) {
        const std::lock_guard alone{locks[which]};
        all.handle(which);
    };
    moodycamel::ProducerToken clock{queue};
    serve(how, queue, all, handle,
          [&](std::size_t which) { queue.enqueue(clock, static_cast<std::uint32_t>(which)); });
    return all.close();
}

/// A source is in the queue once at most: it says whether it is there already, or is being handled and has news.
outcome with_queue_of_sources(const settings& how) {
    enum state : std::uint8_t { idle, queued, handled, handled_with_news };
    market all;
    queue_type queue;
    const auto states = std::make_unique<std::atomic<std::uint8_t>[]>(sources);
    const auto handle = [&](std::uint32_t which) {
        std::atomic<std::uint8_t>& mine = states[which];
        mine = handled;
        all.handle(which);
        std::uint8_t expected = handled;
        if (mine.compare_exchange_strong(expected, idle)) return;
        mine = queued; // to the end of the queue, for there are others
        queue.enqueue(which);
    };
    moodycamel::ProducerToken clock{queue};
    const auto signal = [&](std::size_t which) {
        std::atomic<std::uint8_t>& one = states[which];
        std::uint8_t seen = one.load();
        for (;;) {
            if (seen == queued || seen == handled_with_news) return;
            const std::uint8_t next = seen == idle ? queued : handled_with_news;
            if (!one.compare_exchange_weak(seen, next)) continue;
            if (next == queued) queue.enqueue(clock, static_cast<std::uint32_t>(which));
            return;
        }
    };
    serve(how, queue, all, handle, signal);
    return all.close();
}

} // namespace weft::demo::contracts
