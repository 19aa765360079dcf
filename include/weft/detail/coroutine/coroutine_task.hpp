// The task behind the future of a submitted coroutine.
#pragma once

#include <weft/detail/coroutine/chain.hpp>
#include <weft/detail/coroutine/promise.hpp>
#include <weft/future.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// A chain with a future. To those that join it, it is dormant until it is done: no worker can run
/// it out of turn.
template <class T>
class coroutine_task final : public result_task<T>, public chain {
public:
    /// Throws std::bad_alloc, and then the frame is unchanged.
    static coroutine_task& make(pool_front& home, chain::context given, promise<T>& root) {
        void* memory = allocate_task(sizeof(coroutine_task), alignof(coroutine_task), &home);
        return *::new (memory) coroutine_task{task_home{home}, std::move(given), root};
    }
    /// It was not queued; the frame is the caller's again.
    void destroy_unqueued() noexcept { destroy(); }

private:
    coroutine_task(const task_home& home, chain::context given, promise<T>& root) noexcept
        : result_task<T>{home, completion_word::made_dormant{}},
          chain{home, std::move(given), root} {
        this->joinable_task::run = [](detail::task& self, worker& caller) noexcept {
            static_cast<coroutine_task&>(self).chain::run(caller);
        };
    }

    detail::task& node() noexcept override { return *this; }
    void finish(frame_head& root) noexcept override {
        auto& ended = static_cast<promise<T>&>(root);
        const auto& errors = chain::home().pool->errors;
        try {
            if (ended.failure) {
                this->fail(std::move(ended.failure), errors);
            } else if constexpr (std::is_void_v<T>) {
                this->keep(nothing{}, nullptr);
            } else {
                // The move of most results does not throw, and then there is nothing to report.
                constexpr bool is_safe =
                    std::is_reference_v<T> || std::is_nothrow_move_constructible_v<T>;
                using handler = std::shared_ptr<const error_handler>;
                this->keep(ended.take(), is_safe ? handler{} : errors);
            }
        } catch (...) { // by the move of the result
            this->fail(std::current_exception(), errors);
        }
        root.self.destroy();
        end();
    }
    void finish_unrun(errc reason, const failure_collection& cause) noexcept override {
        // A worker of the pool ends it, or the pool is gone, and then there is no report.
        const bool inside = chain::home().current_worker() != nullptr;
        this->fail(make_error(reason, "weft::task", cause.first()),
                   inside ? chain::home().pool->errors : cause.handler());
        end();
    }
    void end() noexcept {
        static_cast<void>(this->word.claim_from_queue()); // no other thread could
        this->complete();
    }

    void execute(worker& /*caller*/) noexcept override {}
    void destroy() noexcept override {
        std::destroy_at(this);
        free_task(this, sizeof(coroutine_task), alignof(coroutine_task));
    }
};

} // namespace weft::inline v0::detail
