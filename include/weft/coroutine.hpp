// Coroutines: tasks that wait without a thread.
#pragma once

#include <weft/detail/coroutine/coroutine_task.hpp>
#include <weft/detail/coroutine/promise.hpp>
#include <weft/detail/coroutine/requests.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>
#include <weft/resource.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

/// The return type of a coroutine that gives one result. It is lazy: nothing of the coroutine runs
/// until the task is submitted to a pool, or awaited by another task.
///
///     weft::task<int> area(weft::pool& other) {
///         weft::future<int> width = other.submit(measure);
///         co_return co_await width * co_await height();   // no thread waits
///     }
///     int result = pool.run(area(other));
///
/// Inside, `co_await` takes
/// - a `task<T>`, which runs here and now, as a function call would;
/// - a `future<T>` or `shared_future<T>`;
/// - `when(…)`, for a `lease` on resources, and `try_when(…)`;
/// - `when_all(…)` and `when_any(…)` of tasks, which run at the same time;
/// - `yield()`, `move_to(pool)`, `current_stop()`, and `shielded(task)`.
///
/// While it waits, no thread does. It continues as a task of its own pool, perhaps on another
/// worker, and never on the stack of the thread that ended what it waited for. What a child throws
/// is thrown by the `co_await`. The depth of tasks that await tasks is limited by memory, not by
/// the stack.
///
/// If a stop is requested (`task_options`), what the task waits for is stopped, and the `co_await`
/// throws `errc::cancelled`; so does every later one that would wait.
///
/// If the pool has ended when what it waits for ends, or is stopped with `on_stop::cancel`, the
/// task ends as `errc::not_run`: the frames of its coroutines are destroyed, the innermost first.
///
/// The arguments of a coroutine are copied or moved into its frame, but what references, pointers
/// and the captures of a lambda refer to must live until it has ended.
template <class T = void>
class [[nodiscard]] task {
public:
    /// What the compiler makes of the coroutine.
    using promise_type = detail::promise<T>;

    /// A task without a coroutine: `valid` is false.
    task() noexcept = default;
    /// For weft's own use.
    explicit task(promise_type& frame) noexcept : frame_{&frame} {}
    /// `other` is not valid afterwards.
    task(task&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
    /// Destroys the coroutine it had before. `other` is not valid afterwards.
    task& operator=(task&& other) noexcept {
        task{std::move(other)}.swap(*this);
        return *this;
    }
    /// A coroutine that was neither submitted nor awaited never runs; its arguments are destroyed.
    ~task() {
        if (frame_ != nullptr) detail::destroy_frame(*frame_);
    }

    /// Whether it has a coroutine that was neither submitted nor awaited.
    [[nodiscard]] bool valid() const noexcept { return frame_ != nullptr; }
    /// Exchanges the coroutines.
    void swap(task& other) noexcept { std::swap(frame_, other.frame_); }

private:
    friend detail::task_access;
    promise_type* frame_ = nullptr;
};

/// Options of `pool::submit` and `pool::run` for tasks. A class with constructors, since g++ 12
/// destroys aggregates twice that are temporaries of a `co_await`.
class task_options {
public:
    /// No stop token, no name, normal priority.
    task_options() noexcept {} // NOLINT(modernize-use-equals-default): no aggregate
    /// With a stop token; see `stop`.
    explicit task_options(std::stop_token token) noexcept : stop_{std::move(token)} {}

    /// If stop is requested before the task begins, it ends as `errc::cancelled`; afterwards its
    /// waits are stopped.
    task_options& stop(std::stop_token token) & noexcept {
        stop_ = std::move(token);
        return *this;
    }
    /// The same.
    task_options&& stop(std::stop_token token) && noexcept {
        return std::move(stop(std::move(token)));
    }
    /// The name of its waits for resources in the reports of `waits`: a literal, or text that
    /// outlives the task.
    task_options& name(const char* text) & noexcept {
        name_ = text;
        return *this;
    }
    /// The same.
    task_options&& name(const char* text) && noexcept { return std::move(name(text)); }
    /// Which of the tasks that are ready a worker runs first, whenever this one continues.
    task_options& priority(weft::priority level) & noexcept {
        priority_ = level;
        return *this;
    }
    /// The same.
    task_options&& priority(weft::priority level) && noexcept { return std::move(priority(level)); }

    /// For weft's own use.
    [[nodiscard]] detail::chain::context context() const noexcept {
        return {stop_, name_, priority_, false};
    }

private:
    std::stop_token stop_;
    const char* name_ = nullptr;
    weft::priority priority_ = weft::priority::normal;
};

// What a task awaits. Each of these does something only when it is awaited.

/// Lets other tasks that are ready run first. Throws `errc::cancelled` if stop was requested.
[[nodiscard]] inline detail::yield_request yield() noexcept { return {}; }

/// Continues on another pool, from now on: a task that it awaits runs there too. Throws
/// `errc::stopped` if that pool accepts no more tasks; then it stays where it is.
[[nodiscard]] inline detail::move_request move_to(pool& target) noexcept {
    return detail::move_request{target.front()};
}

/// The stop token that the task was submitted with, or that of its `when_all` or `when_any`.
[[nodiscard]] inline detail::token_request current_stop() noexcept { return {}; }

/// The task, awaited without the stop token: nothing that it waits for is stopped.
template <class T>
[[nodiscard]] detail::shielded_request<T> shielded(task<T> child) noexcept {
    return detail::shielded_request<T>{std::move(child)};
}

/// Resources that a task has, until the lease ends: `auto held = co_await when(a, read(b));`. It
/// has them across any number of further waits, and no thread waits meanwhile. It cannot be moved:
/// it belongs to the coroutine that has it as a variable.
///
/// While a task has a lease, also one of a task that awaits it, it must not wait for anything that
/// may need resources: `co_await when(…)` always throws `errc::would_deadlock` then, and so does a
/// `co_await` of a future that is not ready and belongs to a continuation, a resource task, a
/// completion or another coroutine. Futures of plain tasks, operations and `try_when` are allowed.
/// So tasks cannot wait for each other in a cycle of resources. What is needed together is named
/// together, in one `when`.
template <class Needs>
class [[nodiscard]] lease {
public:
    /// For weft's own use.
    lease(detail::chain* owner, detail::lease_ticket* ticket,
          decltype(std::declval<const Needs&>().data()) data) noexcept
        : owner_{owner}, ticket_{ticket}, data_{std::move(data)} {
        if (owner_ != nullptr) owner_->add_lease();
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    /// Passes the resources on.
    ~lease() { release(); }

    /// Whether it has the resources: always after `co_await when(…)`, until `release`.
    [[nodiscard]] explicit operator bool() const noexcept { return ticket_ != nullptr; }

    /// The data of the resource that was named in this place, counted without limits and keys,
    /// which have none. Throws `errc::invalid_argument` if it has no resources.
    template <std::size_t Index>
    [[nodiscard]] auto& get() const {
        require("weft::lease::get");
        return *std::get<Index>(data_);
    }
    /// Returns `body(data...)`, as for `when(…).submit`: for a range, `body` gets a span of
    /// pointers. Throws `errc::invalid_argument` if it has no resources.
    template <class Body>
    decltype(auto) apply(Body&& body) const {
        require("weft::lease::apply");
        return Needs::call(body, data_);
    }

    /// Passes the resources on now. What becomes ready by that is queued, not run here.
    void release() noexcept {
        if (ticket_ == nullptr) return;
        owner_->remove_lease();
        std::exchange(ticket_, nullptr)->release();
    }

private:
    void require(const char* call) const {
        if (ticket_ == nullptr) throw error{errc::invalid_argument, call};
    }

    detail::chain* owner_;
    detail::lease_ticket* ticket_;
    decltype(std::declval<const Needs&>().data()) data_;
};

/// As `when`, without waiting, also while the task has a lease: if another task has one of the
/// resources, or waits for it, `co_await` returns a lease that has nothing.
///
///     auto more = co_await weft::try_when(c);
///     if (more) more.get<0>() += 1;
template <class... Named>
    requires(detail::nameable<Named> && ...)
[[nodiscard]] auto try_when(Named&&... named) {
    return detail::try_request{detail::fixed_needs{detail::access_factory::make(named)...}};
}
/// The same for a range.
template <class Range>
    requires detail::range_of_nameable<Range>
[[nodiscard]] auto try_when(Range&& range) {
    return detail::try_request{detail::range_needs{range}};
}

/// Runs the tasks at the same time, and returns when all have ended: a tuple of their results, with
/// `nothing` for those that return none and `std::reference_wrapper` for references. If one throws,
/// the others are asked to stop; when all have ended, the first exception is thrown, and the others
/// are dropped. They have a stop token of their own, which is stopped with that of the caller.
template <class First, class... T>
[[nodiscard]] detail::all_request<First, T...> when_all(task<First>&& first,
                                                        task<T>&&... more) noexcept {
    return detail::all_request<First, T...>{std::move(first), std::move(more)...};
}
/// The same for any number of tasks of one type: a vector of their results, or nothing.
template <class T>
[[nodiscard]] detail::all_range_request<T> when_all(std::vector<task<T>> tasks) noexcept {
    return detail::all_range_request<T>{std::move(tasks)};
}

/// The first of several tasks that ended, and its result.
template <class T>
class first_result {
public:
    /// For weft's own use.
    first_result(std::size_t position, T result) : index{position}, value{std::move(result)} {}
    std::size_t index; ///< of the task that ended first
    T value;           ///< its result; `nothing` if it returns none
};

/// Runs the tasks at the same time. When the first has ended, by a result or an exception, the
/// others are asked to stop; when all have ended, it returns the index and the result of the first,
/// a `std::variant`, or throws its exception. What the others returned or threw is dropped.
template <class First, class... T>
[[nodiscard]] detail::any_request<First, T...> when_any(task<First>&& first,
                                                        task<T>&&... more) noexcept {
    return detail::any_request<First, T...>{std::move(first), std::move(more)...};
}
/// The same for one or more tasks of one type, without a variant. Throws `errc::invalid_argument`
/// if there are none.
template <class T>
[[nodiscard]] detail::any_range_request<T> when_any(std::vector<task<T>> tasks) noexcept {
    return detail::any_range_request<T>{std::move(tasks)};
}

template <class T>
future<T> pool::submit(const task_options& options, task<T> coroutine) {
    constexpr const char* call = "weft::pool::submit";
    detail::promise<T>& root = detail::task_access::frame(coroutine, call);
    auto& made = detail::coroutine_task<T>::make(front(), options.context(), root);
    if (!made.try_queue()) {
        made.destroy_unqueued();
        throw error{errc::stopped, call};
    }
    static_cast<void>(detail::task_access::take(coroutine, call)); // the frame may be gone
    return future<T>{made};
}

template <class T>
future<T> pool::submit(task<T> coroutine) {
    return submit(task_options{}, std::move(coroutine));
}

template <class T>
T pool::run(task<T> coroutine) {
    return run(task_options{}, std::move(coroutine));
}

template <class T>
T pool::run(const task_options& options, task<T> coroutine) {
    if (pool::current() == this) throw error{errc::would_deadlock, "weft::pool::run"};
    return submit(options, std::move(coroutine)).get();
}

} // namespace weft::inline v0
