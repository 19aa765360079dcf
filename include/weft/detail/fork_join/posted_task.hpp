// A task without a future.
#pragma once

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/pool/error_handler.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/error.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// Runs a callable once and frees itself. Nothing joins it, so it has no state that threads share;
/// an exception goes to the pool's error handler.
template <class Body>
class posted_task final : public task {
public:
    /// Queues a new task. If that is not possible, nothing is queued, and it throws `stopped`,
    /// std::bad_alloc, or what copying the callable throws.
    template <class Source>
    static void post(pool_front& pool, const char* call, Source&& source) {
        std::unique_ptr<void, raw_memory> memory{
            allocate_task(sizeof(posted_task), alignof(posted_task), &pool)};
        std::unique_ptr<posted_task, ending> made{
            ::new (memory.get()) posted_task(std::in_place, std::forward<Source>(source))};
        static_cast<void>(memory.release());
        worker* caller = worker::current();
        if (caller != nullptr && &caller->pool() == &pool) caller->push(*made);
        else if (!pool.submit_from_outside(*made)) throw error{errc::stopped, call};
        static_cast<void>(made.release());
    }

private:
    template <class Source>
    posted_task(std::in_place_t /*tag*/, Source&& source)
        : task{.run = &run_posted}, body_(std::forward<Source>(source)) {}

    struct raw_memory {
        void operator()(void* memory) const noexcept {
            free_task(memory, sizeof(posted_task), alignof(posted_task));
        }
    };
    struct ending {
        void operator()(posted_task* made) const noexcept {
            std::destroy_at(made);
            raw_memory{}(made);
        }
    };

    static void run_posted(task& self, worker& caller) noexcept {
        std::unique_ptr<posted_task, ending> posted{&static_cast<posted_task&>(self)};
        const pool_front& pool = caller.pool(); // lives while its workers run
        if (pool.cancelling()) {
            const failure_collection causes;
            posted.reset();
            pool.errors->report(make_error(errc::not_run, "weft::pool::post", causes.first()));
            return;
        }
        try {
            const worker::running now{caller, nullptr};
            static_cast<void>(std::invoke(posted->body_));
        } catch (...) {
            pool.errors->report(std::current_exception());
        }
    }

    Body body_;
};

} // namespace weft::inline v0::detail
