#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <concurrentqueue/concurrentqueue.h>

namespace weft::demo::recurring {
namespace {

struct queue {
    moodycamel::ConcurrentQueue<std::uint32_t> all{tasks};

    /// With tokens, as its maker recommends.
    struct handle {
        explicit handle(queue& of) : all{of.all}, producer{of.all}, consumer{of.all} {}
        bool pop(std::uint32_t& task) { return all.try_dequeue(consumer, task); }
        void push(std::uint32_t task) { all.enqueue(producer, task); }
        moodycamel::ConcurrentQueue<std::uint32_t>& all;
        moodycamel::ProducerToken producer;
        moodycamel::ConsumerToken consumer;
    };
};

} // namespace

outcome with_moodycamel(const settings& how) { return run_queue<queue>(how); }

} // namespace weft::demo::recurring
