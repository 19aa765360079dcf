#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <tbb/concurrent_queue.h>

namespace weft::demo::recurring {
namespace {

struct queue {
    tbb::concurrent_queue<std::uint32_t> all;

    struct handle {
        explicit handle(queue& owner) : all{owner.all} {}
        bool pop(std::uint32_t& task) { return all.try_pop(task); }
        void push(std::uint32_t task) { all.push(task); }
        tbb::concurrent_queue<std::uint32_t>& all;
    };
};

} // namespace

outcome with_tbb(const settings& settings) { return run_queue<queue>(settings); }

} // namespace weft::demo::recurring
