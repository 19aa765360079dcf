// moodycamel's blocking queue, whose consumers sleep when it is empty.
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

/// Threads that call `handle(item)` until the clock has ended. Items that are still queued then are
/// dropped.
template <class Handle, class Signal>
void serve(const settings& settings, queue_type& queue, market& all, Handle handle, Signal signal) {
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number != settings.threads; ++number) {
        threads.emplace_back([&] {
            moodycamel::ConsumerToken token{queue};
            for (;;) {
                std::uint32_t next = 0;
                queue.wait_dequeue(token, next);
                if (ended.load(std::memory_order_relaxed) || next == no_more) return;
                handle(next);
            }
        });
    }
    all.run(settings, signal);
    ended = true;
    for (std::size_t number = 0; number != settings.threads; ++number) queue.enqueue(no_more);
    for (std::thread& each : threads) each.join();
}

} // namespace

/// An entry for each event, and a mutex for each source. The noisy source fills the queue.
outcome with_queue_of_events(const settings& settings) {
    market all;
    queue_type queue;
    const auto locks = std::make_unique<std::mutex[]>(sources);
    const auto handle = [&](std::uint32_t index) {
        const std::lock_guard alone{locks[index]};
        all.handle(index);
    };
    moodycamel::ProducerToken clock{queue};
    serve(settings, queue, all, handle,
          [&](std::size_t index) { queue.enqueue(clock, static_cast<std::uint32_t>(index)); });
    return all.close();
}

/// A source is in the queue at most once: its state says whether it is queued, or is being handled
/// and has news.
outcome with_queue_of_sources(const settings& settings) {
    enum state : std::uint8_t { idle, queued, handled, handled_with_news };
    market all;
    queue_type queue;
    const auto states = std::make_unique<std::atomic<std::uint8_t>[]>(sources);
    const auto handle = [&](std::uint32_t index) {
        std::atomic<std::uint8_t>& current = states[index];
        current = handled;
        all.handle(index);
        std::uint8_t expected = handled;
        if (current.compare_exchange_strong(expected, idle)) return;
        current = queued; // at the end of the queue: other sources wait too
        queue.enqueue(index);
    };
    moodycamel::ProducerToken clock{queue};
    const auto signal = [&](std::size_t index) {
        std::atomic<std::uint8_t>& one = states[index];
        std::uint8_t seen = one.load();
        for (;;) {
            if (seen == queued || seen == handled_with_news) return;
            const std::uint8_t next = seen == idle ? queued : handled_with_news;
            if (!one.compare_exchange_weak(seen, next)) continue;
            if (next == queued) queue.enqueue(clock, static_cast<std::uint32_t>(index));
            return;
        }
    };
    serve(settings, queue, all, handle, signal);
    return all.close();
}

} // namespace weft::demo::contracts
