#include "latency/config.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

namespace bench::latency {
namespace {

struct weft_pool {
    explicit weft_pool(std::size_t threads) : pool{threads} {}
    template <class Task>
    void run(const Task& task) {
        pool.run(task);
    }
    weft::pool pool;
};

const registration registered{{"latency", "weft", contestants<weft_pool>}};

} // namespace
} // namespace bench::latency
