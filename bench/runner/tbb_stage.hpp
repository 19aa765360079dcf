// A oneTBB arena with the given number of threads, including the caller.
#pragma once

#include "runner/timed.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstddef>
#include <memory>

namespace bench {

class tbb_stage {
public:
    explicit tbb_stage(const request& request)
        : stacks_{tbb::global_control::thread_stack_size, stack_size},
          arena_{static_cast<int>(request.threads)}, threads_{request.threads} {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {
        // The smallest such limit applies to all arenas, so each stage sets its own for its runs
        // only.
        control_ = std::make_unique<tbb::global_control>(
            tbb::global_control::max_allowed_parallelism, threads_);
        arena_.execute([] {
            tbb::task_group group;
            for (int each = 0; each != 100; ++each) group.run([] {});
            group.wait();
        });
    }
    template <class Body>
    auto run(const Body& body) {
        return arena_.execute(body);
    }
    void after() { control_.reset(); }

private:
    static constexpr std::size_t stack_size = std::size_t{8} << 20;
    tbb::global_control stacks_;
    tbb::task_arena arena_;
    std::size_t threads_;
    std::unique_ptr<tbb::global_control> control_;
};

} // namespace bench
