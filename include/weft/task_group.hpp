// A group of tasks that are joined together.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

namespace detail {
struct group_member {
    future<void> result;
    group_member* next = nullptr; // used by the inbox
};
} // namespace detail

/// Tasks of one scope: `submit` adds a task, `wait` joins all of them; both any number of times.
/// Tasks of the group may submit further tasks to it. The destructor joins the tasks that were not
/// joined.
class WEFT_API task_group {
public:
    /// A group on the calling worker's pool. On other threads it throws `errc::outside_pool`.
    task_group();
    /// A group on this pool.
    explicit task_group(pool& owner);
    /// Joins the tasks that were not joined; the first of their exceptions goes to the pool's
    /// `on_error`. Inside a task of the group it ends the program.
    ~task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    /// Adds a task; from any thread. Throws `errc::stopped` if the pool was stopped, unless it is
    /// called by a task of the pool; `errc::stack_exhausted` if a worker has too little stack left
    /// to join the task; std::bad_alloc, and what copying the task throws. Then nothing was added.
    template <class Task>
    void submit(Task&& task) {
        require_stack();
        auto member = std::make_unique<detail::group_member>();
        auto body = [task = std::decay_t<Task>(std::forward<Task>(task))]() mutable {
            static_cast<void>(std::invoke(task));
        };
        member->result = pool_->submit(submit_options{stop_.get_token()}, std::move(body));
        members_.push(member.release());
    }

    /// Returns when all tasks of the group have ended, and throws the first of their exceptions, in
    /// the order of `submit`; the others are dropped. One thread at a time may wait. A worker runs
    /// tasks of the group that have not begun; one that it has too little stack for is not run, and
    /// ends with `errc::stack_exhausted`. Inside a task of the group, or anything that task calls
    /// or forks, it throws `errc::would_deadlock`.
    void wait();

    /// Tasks of the group that have not begun end as `errc::cancelled`, which `wait` does not
    /// throw.
    void cancel() noexcept { stop_.request_stop(); }
    /// Whether `cancel` was called.
    [[nodiscard]] bool cancelled() const noexcept { return stop_.stop_requested(); }

private:
    [[nodiscard]] bool is_inside() const noexcept;
    static void require_stack();
    std::exception_ptr join_all();
    static void join(future<void>& member);

    pool* pool_;
    std::stop_source stop_;
    detail::inbox<detail::group_member> members_;
};

} // namespace weft::inline v0
