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
        bool pop(std::uint32_t& task) { return all.try_dequeue(consumer, task); }
        void push(std::uint32_t task) { all.enqueue(producer, task); }
        moodycamel::ConcurrentQueue<std::uint32_t>& all;
        moodycamel::ProducerToken producer;
        moodycamel::ConsumerToken consumer;
    };
};

} // namespace

outcome with_moodycamel(const settings& settings) { return run_queue<queue>(settings); }

} // namespace weft::demo::recurring
