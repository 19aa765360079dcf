#include <weft/detail/timer/timer_task.hpp>

#include <weft/detail/timer/timed_future.hpp>

#include <exception>

namespace weft::inline v0::detail {
namespace {

struct cancel_on_stop {
    timer_node* timer;
    void operator()() const noexcept { cancel_timer(*timer); }
};

/// A timer that a stop token cancels. The callback may run while the task ends; then the end of the
/// callback waits for it.
class stoppable_task final : public timer_task {
public:
    stoppable_task(pool_front& home, std::stop_token stop)
        : timer_task{home}, callback_{std::move(stop), cancel_on_stop{this}} {}

private:
    void destroy() noexcept override {
        std::destroy_at(this);
        free_task(this, sizeof(stoppable_task), alignof(stoppable_task));
    }
    std::stop_callback<cancel_on_stop> callback_;
};

} // namespace

timer_task::timer_task(pool_front& home, unread untaken) noexcept
    : result_task<void>{task_home{home}, completion_word::made_dormant{}}, timer_node{&ended_wait},
      unread_{untaken} {}

timer_task* timer_task::make(pool_front& home, unread untaken) {
    void* memory = allocate_task(sizeof(timer_task), alignof(timer_task), &home);
    return ::new (memory) timer_task{home, untaken};
}

timer_task* timer_task::make(pool_front& home, std::stop_token stop) {
    if (!stop.stop_possible()) return make(home);
    void* memory = allocate_task(sizeof(stoppable_task), alignof(stoppable_task), &home);
    return ::new (memory) stoppable_task{home, std::move(stop)};
}

void timer_task::start(alarm_time alarm, const char* call) {
    struct guard {
        timer_task* task;
        ~guard() {
            if (task != nullptr) task->destroy();
        }
    } unsent{this};
    const timer_start begun = start_timer(*home().pool, *this, alarm);
    if (begun == timer_start::refused) throw error{errc::stopped, call};
    unsent.task = nullptr;
    if (begun == timer_start::cancelled) end_wait(timer_end::cancelled);
    if (begun == timer_start::stopping) {
        end_wait(cancel_timer(*this) ? timer_end::stopped : timer_end::cancelled);
    }
}

void timer_task::ended_wait(timer_node& self, timer_end reason) noexcept {
    static_cast<timer_task&>(self).end_wait(reason);
}

/// A thread that cancels it may be outside the pool, which may have ended: so only the end of the
/// pool, which a worker makes, is reported if the future was dropped. Then nothing was lost anyway.
void timer_task::end_wait(timer_end ending) noexcept {
    static_cast<void>(word.claim_from_queue()); // no other thread could
    if (ending == timer_end::cancelled) refuse(errc::cancelled, nullptr);
    if (ending == timer_end::stopped) {
        refuse(errc::not_run, unread_ == unread::reported ? home().pool->errors : nullptr);
    }
    complete();
}

void timer_task::destroy() noexcept {
    std::destroy_at(this);
    free_task(this, sizeof(timer_task), alignof(timer_task));
}

future<void> start_wait(pool_front& home, alarm_time deadline, std::stop_token stop,
                        const char* call) {
    timer_task* made = timer_task::make(home, std::move(stop));
    made->start(deadline, call);
    return future<void>{*made};
}

timer_task& start_beside(const joinable_task& other, alarm_time deadline, const char* call) {
    const task_home& home = other.home();
    timer_task* made = nullptr;
    std::exception_ptr failure;
    const auto start = [&]() noexcept {
        try {
            timer_task* unsent = timer_task::make(*home.pool, timer_task::unread::dropped);
            unsent->start(deadline, call);
            made = unsent;
        } catch (...) {
            failure = std::current_exception();
        }
        return true;
    };
    // While it is inside, the pool is not destroyed; a worker of it is proof enough.
    if (home.current_worker() != nullptr ? !start() : !home.identity.use_if_alive(start)) {
        throw error{errc::stopped, call};
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    return *made;
}

} // namespace weft::inline v0::detail
