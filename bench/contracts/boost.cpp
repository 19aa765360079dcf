#include "contracts/queues.hpp"

#include <boost/lockfree/queue.hpp>

namespace bench::contracts {
namespace {

struct boost_queue {
    explicit boost_queue(std::size_t tasks) : queue{tasks} {}
    struct handle {
        explicit handle(boost_queue& owner) : queue{owner.queue} {}
        bool pop(std::uint32_t& task) { return queue.pop(task); }
        void push(std::uint32_t task) {
            while (!queue.push(task)) std::this_thread::yield();
        }
        boost::lockfree::queue<std::uint32_t>& queue;
    };
    boost::lockfree::queue<std::uint32_t> queue;
};

const registration registered{{"contracts", "boost", queue_contestants<boost_queue>}};
const registration single{{"single", "boost", single_queue_contestants<boost_queue>}};

} // namespace
} // namespace bench::contracts
