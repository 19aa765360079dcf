// Tasks of a pool that takes no more work: what becomes ready is run, as refused, by the thread
// that completed the rest.
#pragma once

#include "pool/pool_core.hpp"

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstddef>
#include <memory>

namespace weft::test {

/// The part of a pool that tasks need if they are never queued: a closed intake.
class closed_pool {
public:
    closed_pool() {
        std::construct_at(&core().intake);
        core().intake.close();
    }
    ~closed_pool() { std::destroy_at(&core().intake); }
    closed_pool(const closed_pool&) = delete;
    closed_pool& operator=(const closed_pool&) = delete;

    detail::pool_core& core() { return *reinterpret_cast<detail::pool_core*>(memory_); }
    detail::task_home home() { return {core(), {&presence_, number_}}; }

private:
    detail::presence presence_;
    detail::presence::number number_ = presence_.begin();
    alignas(detail::pool_core) std::byte memory_[sizeof(detail::pool_core)]{};
};

/// A task that adds up what others have left for it.
class adder final : public detail::joinable_task {
public:
    template <class Made>
    adder(closed_pool& pool, Made made) : adder{pool.home(), made} {}
    template <class Made>
    adder(const detail::task_home& home, Made made) : joinable_task{home, made} {}

    sync::plain<int> first{0};
    sync::plain<int> second{0};
    sync::plain<int> sum{-1};

    void complete() {
        const auto [nodes, is_free, helped] = word.complete();
        for (detail::completion_node* each = nodes; each != nullptr;) {
            detail::completion_node* after = each->next;
            each->notify(*each);
            each = after;
        }
        if (is_free) destroy();
    }

private:
    void execute(detail::worker& /*here*/) noexcept override { add(); }
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {
        add();
    }
    void add() noexcept { sum.write(first.read() + second.read()); }
    void destroy() noexcept override { sync::destroy(this); }
};

} // namespace weft::test
