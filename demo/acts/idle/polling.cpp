// Threads that poll a lock-free queue, and yield when it is empty.
#include "acts/idle/acts.hpp"
#include "acts/idle/burst.hpp"

#include <concurrentqueue/concurrentqueue.h>

#include <atomic>
#include <vector>

namespace weft::demo::idle {

outcome with_polling(const settings& settings) {
    moodycamel::ConcurrentQueue<int> queue;
    std::atomic<int> left{burst};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number != settings.threads; ++number) {
        threads.emplace_back([&] {
            int next = 0;
            while (!stop.load(std::memory_order_relaxed)) {
                if (queue.try_dequeue(next)) {
                    work();
                    if (left.fetch_sub(1) == 1) left.notify_one();
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (int each = 0; each != burst; ++each) queue.enqueue(each);
    for (int now = left.load(); now != 0; now = left.load()) left.wait(now);
    outcome result = measure_idleness(settings);
    stop = true;
    for (std::thread& each : threads) each.join();
    return result;
}

} // namespace weft::demo::idle
