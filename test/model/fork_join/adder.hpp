// Tasks of a pool that takes no more work: what becomes ready is run, as refused, by the thread
// that completed the rest.
#pragma once

#include "support/unstarted_pool.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/future.hpp>

#include <cstddef>
#include <memory>

namespace weft::test {

struct closed_pool : unstarted_pool {
    closed_pool() : unstarted_pool{1} { core().intake.close(); }
};

/// A task that adds up what others have left for it.
class adder final : public detail::result_task<int> {
public:
    template <class Made>
    adder(unstarted_pool& pool, Made made) : result_task{detail::task_home{pool.core()}, made} {}

    sync::plain<int> first{0};
    sync::plain<int> second{0};
    sync::plain<int> sum{-1};

    using joinable_task::complete;

private:
    void execute(detail::worker& /*caller*/) noexcept override { add(); }
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {
        add();
    }
    void add() noexcept { sum.write(first.read() + second.read()); }
    void destroy() noexcept override { sync::destroy(this); }
};

} // namespace weft::test
