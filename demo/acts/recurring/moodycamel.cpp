#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <concurrentqueue/concurrentqueue.h>

namespace weft::demo::recurring {
namespace {

struct queue {
    moodycamel::ConcurrentQueue<std::uint32_t> all{tasks};

    /// With tokens, as its author recommends.
    struct handle {
        explicit handle(queue& owner) : all{owner.all}, producer{owner.all}, consumer{owner.all} {}
        std::size_t pop(some_tasks popped) {
            return all.try_dequeue(consumer, popped.front()) ? 1 : 0;
        }
        void push(some_tasks pushed) { all.enqueue(producer, pushed.front()); }
        moodycamel::ConcurrentQueue<std::uint32_t>& all;
        moodycamel::ProducerToken producer;
        moodycamel::ConsumerToken consumer;
    };
};

struct bulk_queue : queue {
    struct handle : queue::handle {
        using queue::handle::handle;
        std::size_t pop(some_tasks popped) {
            return all.try_dequeue_bulk(consumer, popped.data(), popped.size());
        }
        void push(some_tasks pushed) { all.enqueue_bulk(producer, pushed.data(), pushed.size()); }
    };
};

} // namespace

outcome with_moodycamel(const settings& settings) { return run_queue<queue>(settings); }
outcome with_moodycamel_in_bulk(const settings& settings) {
    return run_queue<bulk_queue, 256>(settings);
}

} // namespace weft::demo::recurring
