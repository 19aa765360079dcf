#include "acts/recurring/acts.hpp"
#include "acts/recurring/tasks.hpp"

#include <tbb/concurrent_queue.h>

namespace weft::demo::recurring {
namespace {

struct queue {
    tbb::concurrent_queue<std::uint32_t> all;

    struct handle {
        explicit handle(queue& of) : all{of.all} {}
        bool pop(std::uint32_t& task) { return all.try_pop(task); }
        void push(std::uint32_t task) { all.push(task); }
        tbb::concurrent_queue<std::uint32_t>& all;
    };
};

} // namespace

outcome with_tbb(const settings& how) { return run_queue<queue>(how); }

} // namespace weft::demo::recurring
