#include "contracts/queues.hpp"

#include <tbb/concurrent_queue.h>

namespace bench::contracts {
namespace {

struct tbb_queue {
    explicit tbb_queue(std::size_t /*tasks*/) {}
    struct handle {
        explicit handle(tbb_queue& owner) : queue{owner.queue} {}
        bool pop(std::uint32_t& task) { return queue.try_pop(task); }
        void push(std::uint32_t task) { queue.push(task); }
        tbb::concurrent_queue<std::uint32_t>& queue;
    };
    tbb::concurrent_queue<std::uint32_t> queue;
};

const registration registered{{"contracts", "tbb", queue_contestants<tbb_queue>}};
const registration single{{"single", "tbb", single_queue_contestants<tbb_queue>}};

} // namespace
} // namespace bench::contracts
