
#include <threadpool.h>
#include <weft/api.hpp>
#include <weft/detail/fork_join/future_state.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string_view>

struct thread_pool {
    weft::pool pool;
    explicit thread_pool(std::size_t workers)
        : pool{weft::pool_options{.workers = workers, .name = "threadpool"}} {}
};

struct future final : weft::detail::joinable_task {
    future(thread_pool& owner, fork_join_task_t run_task, void* data)
        : joinable_task{weft::detail::task_home{owner.pool.front()},
                        weft::detail::completion_word::made_for_queue{}},
          pool_{&owner}, task_{run_task}, data_{data} {}

    [[nodiscard]] void* result() const noexcept { return result_; }

private:
    void execute(weft::detail::worker& /*caller*/) noexcept override {
        result_ = task_(pool_, data_);
    }
    void refuse(weft::errc /*reason*/,
                std::shared_ptr<const weft::detail::error_handler> /*report*/) noexcept override {
        // never: a pool in C is not cancelled
    }
    void destroy() noexcept override {
        std::destroy_at(this);
        weft::detail::free_task(this, sizeof(future), alignof(future));
    }

    thread_pool* pool_;
    fork_join_task_t task_;
    void* data_;
    void* result_ = nullptr;
};

namespace {

void complain(const char* call, const char* message) noexcept {
    std::fprintf(stderr, "%s: %s\n", call, message);
}

/// Prints the exception that is being handled. Allocates nothing, since memory may be exhausted.
void complain_of_exception(const char* call) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        complain(call, "out of memory");
    } catch (const std::exception& error) {
        const std::string_view text{error.what()};
        if (text.starts_with(call)) std::fprintf(stderr, "%s\n", error.what());
        else complain(call, error.what());
    }
}

} // namespace

WEFT_API struct thread_pool* thread_pool_new(int nthreads) {
    if (nthreads < 1) {
        complain("thread_pool_new", "the number of threads must be at least 1");
        return nullptr;
    }
    try {
        return new thread_pool{static_cast<std::size_t>(nthreads)};
    } catch (...) {
        complain_of_exception("thread_pool_new");
        return nullptr;
    }
}

WEFT_API void thread_pool_shutdown_and_destroy(struct thread_pool* pool) {
    if (pool == nullptr) return;
    if (weft::pool::current() == &pool->pool) {
        complain("thread_pool_shutdown_and_destroy", "called by a task of this pool");
        std::abort();
    }
    delete pool;
}

WEFT_API struct future* thread_pool_submit(struct thread_pool* pool, fork_join_task_t task,
                                           void* data) {
    if (pool == nullptr || task == nullptr) {
        complain("thread_pool_submit", pool == nullptr ? "the pool is NULL" : "the task is NULL");
        return nullptr;
    }
    try {
        void* memory =
            weft::detail::allocate_task(sizeof(future), alignof(future), &pool->pool.front());
        auto* made = ::new (memory) future{*pool, task, data};
        made->submit("thread_pool_submit");
        return made;
    } catch (...) {
        complain_of_exception("thread_pool_submit");
        return nullptr;
    }
}

WEFT_API void* future_get(struct future* future) {
    if (future == nullptr) return nullptr;
    try {
        future->wait("future_get");
    } catch (...) {
        complain_of_exception("future_get");
        std::abort();
    }
    return future->result();
}

WEFT_API void future_free(struct future* future) {
    if (future != nullptr) future->drop_handle();
}
