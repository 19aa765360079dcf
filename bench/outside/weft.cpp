#include "outside/config.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace bench::outside {
namespace {

struct with_future {
    explicit with_future(std::size_t threads) : pool{threads} {}
    template <class Task>
    void submit(const Task& task) {
        pool.submit(task);
    }
    weft::pool pool;
};

struct without_future {
    explicit without_future(std::size_t threads) : pool{threads} {}
    template <class Task>
    void submit(const Task& task) {
        pool.post(task);
    }
    weft::pool pool;
};

const registration submitting{{"outside", "weft", contestants<with_future>}};
const registration posting{{"outside", "weft-post", contestants<without_future>}};

} // namespace
} // namespace bench::outside
