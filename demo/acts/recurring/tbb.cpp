#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <tbb/concurrent_queue.h>

namespace weft::demo::recurring {
namespace {

struct queue {
    tbb::concurrent_queue<std::uint32_t> all;

    struct handle {
        explicit handle(queue& owner) : all{owner.all} {}
        std::size_t pop(some_tasks popped) { return all.try_pop(popped.front()) ? 1 : 0; }
        void push(some_tasks pushed) { all.push(pushed.front()); }
        tbb::concurrent_queue<std::uint32_t>& all;
    };
};

} // namespace

outcome with_tbb(const settings& settings) { return run_queue<queue>(settings); }

} // namespace weft::demo::recurring
