#include "contracts/queues.hpp"

#include <concurrentqueue/concurrentqueue.h>

namespace bench::contracts {
namespace {

using queue_type = moodycamel::ConcurrentQueue<std::uint32_t>;

struct plain_queue {
    explicit plain_queue(std::size_t tasks) : queue{tasks} {}
    struct handle {
        explicit handle(plain_queue& owner) : queue{owner.queue} {}
        bool pop(std::uint32_t& task) { return queue.try_dequeue(task); }
        void push(std::uint32_t task) { queue.enqueue(task); }
        queue_type& queue;
    };
    queue_type queue;
};

struct queue_with_tokens {
    explicit queue_with_tokens(std::size_t tasks) : queue{tasks} {}
    struct handle {
        explicit handle(queue_with_tokens& owner)
            : queue{owner.queue}, producer{owner.queue}, consumer{owner.queue} {}
        bool pop(std::uint32_t& task) { return queue.try_dequeue(consumer, task); }
        void push(std::uint32_t task) { queue.enqueue(producer, task); }
        queue_type& queue;
        moodycamel::ProducerToken producer;
        moodycamel::ConsumerToken consumer;
    };
    queue_type queue;
};

struct queue_in_bulk : queue_with_tokens {
    using queue_with_tokens::queue_with_tokens;
    struct handle : queue_with_tokens::handle {
        using queue_with_tokens::handle::handle;
        std::size_t pop(tasks popped) {
            return queue.try_dequeue_bulk(consumer, popped.data(), popped.size());
        }
        void push(tasks pushed) { queue.enqueue_bulk(producer, pushed.data(), pushed.size()); }
    };
};

const registration plain{{"contracts", "moodycamel", queue_contestants<plain_queue>}};
const registration with_tokens{
    {"contracts", "moodycamel-tokens", queue_contestants<queue_with_tokens>}};
const registration single{
    {"single", "moodycamel-tokens", single_queue_contestants<queue_with_tokens>}};
const registration in_bulk{
    {"contracts", "moodycamel-bulk", queue_contestants<queue_in_bulk, batch>}};

} // namespace
} // namespace bench::contracts
