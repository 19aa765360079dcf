#include "outside/config.hpp"

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>

namespace bench::outside {
namespace {

struct asio_pool {
    explicit asio_pool(std::size_t threads) : pool{threads} {}
    template <class Task>
    void submit(const Task& task) {
        asio::post(pool, task);
    }
    asio::thread_pool pool;
};

const registration registered{{"outside", "asio", contestants<asio_pool>}};

} // namespace
} // namespace bench::outside
