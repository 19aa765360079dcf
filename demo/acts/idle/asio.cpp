#include "acts/idle/acts.hpp"
#include "acts/idle/burst.hpp"

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>

#include <atomic>

namespace weft::demo::idle {

outcome with_asio(const settings& settings) {
    asio::thread_pool pool{settings.threads};
    std::atomic<int> left{burst};
    for (int each = 0; each != burst; ++each) {
        asio::post(pool, [&left] {
            work();
            if (left.fetch_sub(1) == 1) left.notify_one();
        });
    }
    for (int now = left.load(); now != 0; now = left.load()) left.wait(now);
    outcome result = measure_idleness(settings);
    pool.join();
    return result;
}

} // namespace weft::demo::idle
