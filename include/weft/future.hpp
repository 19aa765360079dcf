// Futures: results of tasks, joined by any thread and in any order.
#pragma once

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/fork_join/posted_task.hpp>
#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

namespace weft::inline v0 {

template <class T>
class shared_future;

/// Options of `pool::submit`.
struct submit_options {
    /// Checked when the task is about to start: if stop was requested, the task ends as
    /// `cancelled`.
    std::stop_token stop = {};
};

namespace detail {

/// A task with a result.
template <class T>
class result_task : public joinable_task {
public:
    using stored = std::conditional_t<
        std::is_void_v<T>, nothing,
        std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

    /// Takes the result or throws the exception; once, after the task is ready.
    T take() {
        if (auto* failed = std::get_if<2>(&outcome_)) {
            failed->report = nullptr; // the result was requested
            std::rethrow_exception(std::move(failed->error));
        }
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*std::get<1>(outcome_));
        } else if constexpr (!std::is_void_v<T>) {
            return std::move(std::get<1>(outcome_));
        }
    }

    /// Reads the result, or throws the exception, and leaves it; any number of times, by any number
    /// of threads, after the task is ready.
    decltype(auto) read() const {
        if (const auto* failed = std::get_if<2>(&outcome_)) std::rethrow_exception(failed->error);
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*std::get<1>(outcome_));
        } else if constexpr (!std::is_void_v<T>) {
            return static_cast<const T&>(std::get<1>(outcome_));
        }
    }
    /// The result was requested. Called by the last holder, after the task is ready.
    void forget_report() noexcept {
        if (auto* failed = std::get_if<2>(&outcome_)) failed->report = nullptr;
    }

protected:
    using joinable_task::joinable_task;
    ~result_task() override {
        auto* failed = std::get_if<2>(&outcome_);
        if (failed != nullptr && failed->report != nullptr) {
            failure_collection::keep_or_report(std::move(failed->report), std::move(failed->error));
        }
    }

    template <class Body>
    void run_and_keep(Body& body) noexcept {
        try {
            if constexpr (std::is_reference_v<T>) {
                auto&& result = std::invoke(body);
                outcome_.template emplace<1>(std::addressof(result));
            } else {
                outcome_.template emplace<1>(call(body));
            }
        } catch (...) {
            fail(std::current_exception(), this->home().pool->errors);
        }
    }

    /// The same for a value that exists already.
    template <class Value>
    void keep(Value&& value, std::shared_ptr<const error_handler> report) noexcept {
        try {
            if constexpr (std::is_reference_v<T>) {
                outcome_.template emplace<1>(std::addressof(value));
            } else {
                outcome_.template emplace<1>(std::forward<Value>(value));
            }
        } catch (...) {
            fail(std::current_exception(), std::move(report));
        }
    }

    void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept override {
        fail(make_error(reason, "weft::future", nullptr), std::move(report));
    }
    /// The same for a task with a closure, which is destroyed: if the closure owns a future that
    /// failed, that failure is the cause.
    template <class Body>
    void refuse_closure(std::optional<Body>& body, errc reason,
                        std::shared_ptr<const error_handler> report) noexcept {
        const failure_collection causes;
        body.reset();
        if (report == nullptr) report = causes.handler();
        fail(make_error(reason, "weft::future", causes.first()), std::move(report));
    }

    // NOLINTNEXTLINE(bugprone-exception-escape): none of these moves throws
    void fail(std::exception_ptr error, std::shared_ptr<const error_handler> report) noexcept {
        outcome_.template emplace<2>(failure{std::move(error), std::move(report)});
    }

private:
    struct failure {
        std::exception_ptr error;
        std::shared_ptr<const error_handler> report;
    };
    std::variant<std::monostate, stored, failure> outcome_;
};

/// A task that runs a callable.
template <class Body, class T = result_of<Body>>
class callable_task final : public result_task<T> {
public:
    template <class Source, class Made>
    static callable_task* make(const task_home& home, Made made, std::stop_token stop,
                               Source&& source) {
        struct guard {
            void* memory;
            ~guard() {
                if (memory != nullptr) free(memory);
            }
        } unmade{allocate_task(sizeof(callable_task), alignof(callable_task), living(home, made))};
        auto* task = ::new (unmade.memory)
            callable_task(home, made, std::move(stop), std::forward<Source>(source));
        unmade.memory = nullptr;
        return task;
    }

private:
    /// The pool, if it is known to exist: a dormant task may belong to one that has ended.
    static pool_front* living(const task_home& home, completion_word::made_for_queue /*made*/) {
        return home.pool;
    }
    static pool_front* living(const task_home& /*home*/, completion_word::made_dormant /*made*/) {
        return nullptr;
    }

    template <class Source, class Made>
    callable_task(const task_home& home, Made made, std::stop_token stop, Source&& source)
        : result_task<T>{home, made}, body_{std::in_place, std::forward<Source>(source)},
          stop_{std::move(stop)} {}

    void execute(worker& caller) noexcept override {
        if (stop_.stop_requested()) {
            refuse(errc::cancelled, this->home().pool->errors);
            return;
        }
        const worker::running now{caller, &stop_};
        this->run_and_keep(*body_);
        body_.reset();
    }
    void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept override {
        this->refuse_closure(body_, reason, std::move(report));
    }
    void destroy() noexcept override {
        std::destroy_at(this);
        free(this);
    }
    static void free(void* memory) noexcept {
        free_task(memory, sizeof(callable_task), alignof(callable_task));
    }

    std::optional<Body> body_; // until it was run or refused: it may own a chain of futures
    std::stop_token stop_;
};

/// Access to the task of a future; throws if it has none.
struct future_access {
    template <class T>
    static joinable_task& task(const future<T>& owner, const char* call) {
        return owner.task(call);
    }
    template <class T>
    static result_task<T>& result(const future<T>& owner, const char* call) {
        return owner.task(call);
    }
};

/// Returns a future of `run()`, which becomes a task of the same pool when `before` has completed.
template <class Body>
auto continue_after(joinable_task& before, Body run) {
    using result = result_of<Body>;
    auto link = std::make_unique<continuation_link>();
    auto* made = callable_task<Body>::make(before.home(), completion_word::made_dormant{}, {},
                                           std::move(run));
    future<result> after{*made};
    link->continuation = made;
    continuation_link* node = link.release(); // frees itself when it is called
    if (!before.word.try_add(*node)) {
        delete node;
        made->submit_when_ready();
    }
    return after; // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the word holds the node
}

} // namespace detail

/// The result of a task, available later. A future may outlive the pool, and its destructor never
/// blocks: the task runs in any case, and if the result is never requested, its exception goes to
/// the pool's `on_error`. One thread at a time may use a future. Without a task, every member
/// except `valid` throws `errc::invalid_argument`.
template <class T>
class future {
public:
    /// A future without a task: `valid` is false.
    future() noexcept = default;
    /// For weft's own use: takes over a handle of the task.
    explicit future(detail::result_task<T>& task) noexcept : task_{&task} {}
    /// `other` has no task afterwards.
    future(future&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    /// Drops the task it had before, which runs in any case.
    future& operator=(future&& other) noexcept {
        if (this != &other) {
            reset();
            task_ = std::exchange(other.task_, nullptr);
        }
        return *this;
    }
    ~future() { reset(); }

    /// Whether it has a task whose result was not taken.
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
    /// Whether the task has ended, so that `get` returns at once.
    [[nodiscard]] bool ready() const { return task("weft::future::ready").ready(); }

    /// Waits for the task, and returns its result or throws its exception; afterwards the future is
    /// not valid. A worker of the task's pool runs the task itself if it has not begun.
    ///
    /// Throws `errc::would_deadlock` if waiting could never end: the task is running on the
    /// caller's own stack, or the caller is a worker, and the future is one of `then`, `when_all`,
    /// `when_any`, `when` or a completion, and not ready. Throws `errc::stack_exhausted` if too
    /// little stack is left; then the future stays valid.
    T get() {
        task("weft::future::get").wait("weft::future::get");
        const future last = std::move(*this);
        return last.task_->take();
    }
    /// Returns when the task has ended, without throwing its exception; otherwise as `get`.
    void wait() { task("weft::future::wait").wait("weft::future::wait"); }
    /// Waits until the task has ended or the timeout is over, and returns whether the task has
    /// ended. It runs no task meanwhile: a worker that calls it blocks. On a worker it throws
    /// `errc::would_deadlock` as `get` does, however short the timeout. Also throws std::bad_alloc.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> timeout) {
        constexpr const char* call = "weft::future::wait_for";
        return task(call).wait_until(sync::deadline_after(timeout), call);
    }

    /// Returns a future of `next(future)`, which runs as a task when this future is ready; no
    /// thread waits for that. If the pool no longer accepts the task by then, it is not run, and
    /// the new future has `errc::not_run`. If std::bad_alloc is thrown, this future is dropped.
    template <class Next>
    auto then(Next&& next) && {
        detail::result_task<T>& before = task("weft::future::then");
        return detail::continue_after(before,
                                      [next = std::decay_t<Next>(std::forward<Next>(next)),
                                       first = std::move(*this)]() mutable -> decltype(auto) {
                                          return std::invoke(next, std::move(first));
                                      });
    }

    /// Makes it a future that may be copied; this one has no task afterwards. Throws
    /// std::bad_alloc, and then the future is dropped. Defined in weft/shared_future.hpp.
    shared_future<T> share() &&;

private:
    friend class task_group;
    friend detail::future_access;

    void reset() noexcept {
        if (task_ != nullptr) std::exchange(task_, nullptr)->drop_handle();
    }
    detail::result_task<T>& task(const char* call) const {
        if (task_ == nullptr) throw error{errc::invalid_argument, call};
        return *task_;
    }

    detail::result_task<T>* task_ = nullptr;
};

template <class Task>
future<std::invoke_result_t<std::decay_t<Task>&>> pool::submit(const submit_options& options,
                                                               Task&& task) {
    using made = detail::callable_task<std::decay_t<Task>>;
    made* state = made::make(detail::task_home{front()}, detail::completion_word::made_for_queue{},
                             options.stop, std::forward<Task>(task));
    state->submit("weft::pool::submit");
    return future<std::invoke_result_t<std::decay_t<Task>&>>{*state};
}

template <class Task>
future<std::invoke_result_t<std::decay_t<Task>&>> pool::submit(Task&& task) {
    return submit(submit_options{}, std::forward<Task>(task));
}

template <class Task>
void pool::post(Task&& task) {
    detail::posted_task<std::decay_t<Task>>::post(front(), "weft::pool::post",
                                                  std::forward<Task>(task));
}

template <class Task>
std::invoke_result_t<std::decay_t<Task>&> pool::run(Task&& task) {
    if (pool::current() == this) throw error{errc::would_deadlock, "weft::pool::run"};
    return submit(std::forward<Task>(task)).get();
}

} // namespace weft::inline v0
