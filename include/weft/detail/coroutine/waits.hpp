// What a coroutine can wait for: children, futures, operations, its turn, another pool.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/coroutine/chain.hpp>
#include <weft/detail/coroutine/suspension.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/shared_future.hpp>

#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

namespace weft::inline v0::detail {

// All of these are classes with constructors, since g++ 12 destroys aggregates twice that are
// temporaries of a co_await. A function that makes the coroutine known to other threads is not
// inlined into it: clang 14 would keep its variables in the frame, and use them afterwards.

/// A wait for a child: the frame of another task.
template <class Promise>
class child_wait {
public:
    child_wait(frame_head& waiter, Promise& child) noexcept : waiter_{&waiter}, child_{&child} {}
    child_wait(const child_wait&) = delete;
    child_wait& operator=(const child_wait&) = delete;
    /// A child that has begun belongs to its chain (CO3).
    ~child_wait() {
        if (!begun_) destroy_frame(*child_);
    }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        begun_ = true;
        child_->owner = waiter_->owner;
        child_->parent = waiter_;
        waiter_->owner->set_next(*child_);
    }
    decltype(auto) await_resume() {
        const ended_frame ended{child_};
        return child_->take();
    }

private:
    struct ended_frame {
        Promise* child;
        ~ended_frame() { child->self.destroy(); }
    };

    frame_head* waiter_;
    Promise* child_;
    bool begun_ = false;
};

/// The same without the stop token.
template <class Promise>
class shielded_wait {
public:
    shielded_wait(frame_head& waiter, Promise& child) noexcept
        : chain_{waiter.owner}, child_{waiter, child} {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) noexcept {
        before_ = chain_->exchange_stop({});
        child_.await_suspend(self);
    }
    decltype(auto) await_resume() {
        chain_->exchange_stop(std::move(before_));
        return child_.await_resume();
    }

private:
    chain* chain_;
    child_wait<Promise> child_;
    std::stop_token before_;
};

/// What a stop token calls.
template <class Stopped>
class stopper {
public:
    explicit stopper(Stopped& stopped) noexcept : stopped_{&stopped} {}
    void operator()() const noexcept { (*stopped_)(); }

private:
    Stopped* stopped_;
};
template <class Stopped>
using stop_link = std::optional<std::stop_callback<stopper<Stopped>>>;

/// A wait for a future that can be stopped: shared with the future's task, which cannot forget a
/// node.
class WEFT_API stoppable_wait : public completion_node {
public:
    /// Throws std::bad_alloc.
    [[nodiscard]] static stoppable_wait& make(chain& waiting);
    stoppable_wait(const stoppable_wait&) = delete;
    stoppable_wait& operator=(const stoppable_wait&) = delete;

    /// Adds it to the task; true if the coroutine is suspended.
    [[nodiscard]] bool begin(joinable_task& awaited) noexcept;
    /// When the coroutine continues: no stop is under way any more.
    void end_stop() noexcept { link_.reset(); }
    /// After that.
    void leave() noexcept;
    /// Stops the wait.
    void operator()() noexcept;

    suspension word;

private:
    stoppable_wait(chain& waiting, void* memory) noexcept;
    void free() noexcept;
    chain* const waiting_;
    void* const memory_;
    stop_link<stoppable_wait> link_;
};

inline void require_unstopped(const chain& waiting, const char* call) {
    if (waiting.stop().stop_requested()) throw error{errc::cancelled, call};
}

/// A wait for the task of a future.
class task_wait {
public:
    task_wait(frame_head& waiter, joinable_task& awaited) noexcept
        : waiter_{&waiter}, task_{&awaited} {}
    task_wait(const task_wait&) = delete;
    task_wait& operator=(const task_wait&) = delete;
    ~task_wait() {
        if (shared_ == nullptr) return;
        shared_->end_stop();
        shared_->leave();
    }

    [[nodiscard]] bool ready(const char* call) {
        if (task_->ready()) return true;
        chain& own = *waiter_->owner;
        require_unstopped(own, call);
        const bool may_need_resources = own.holds() && task_->word.is_dormant(); // CO4
        if (may_need_resources && !task_->ready()) throw error{errc::would_deadlock, call};
        if (own.stop().stop_possible()) shared_ = &stoppable_wait::make(own);
        return false;
    }
    [[gnu::noinline]] bool suspend() noexcept {
        chain& own = *waiter_->owner;
        own.set_leaf(*waiter_);
        return shared_ == nullptr ? task_->word.try_add(node_.make(own)) : shared_->begin(*task_);
    }
    void require_end(const char* call) {
        if (shared_ == nullptr) return;
        shared_->end_stop();
        if (shared_->word.stopped() && !task_->ready()) throw error{errc::cancelled, call};
    }

private:
    frame_head* waiter_;
    joinable_task* task_;
    stoppable_wait* shared_ = nullptr; // if the wait can be stopped
    node_room<chain_node> node_;       // if it cannot
};

template <class T>
class future_wait {
public:
    future_wait(frame_head& waiter, future<T>& awaited)
        : future_{&awaited}, wait_{waiter, future_access::task(awaited, call)} {}

    [[nodiscard]] bool await_ready() { return wait_.ready(call); }
    bool await_suspend(std::coroutine_handle<> /*self*/) noexcept { return wait_.suspend(); }
    T await_resume() {
        wait_.require_end(call);
        return future_->get();
    }

private:
    static constexpr const char* call = "co_await weft::future";
    future<T>* future_;
    task_wait wait_;
};

template <class T>
class shared_future_wait {
public:
    shared_future_wait(frame_head& waiter, const shared_future<T>& awaited)
        : future_{awaited}, wait_{waiter, shared_future_access::task(awaited, call)} {}

    [[nodiscard]] bool await_ready() { return wait_.ready(call); }
    bool await_suspend(std::coroutine_handle<> /*self*/) noexcept { return wait_.suspend(); }
    typename shared_future<T>::reference await_resume() {
        wait_.require_end(call);
        return future_.get();
    }

private:
    static constexpr const char* call = "co_await weft::shared_future";
    shared_future<T> future_;
    task_wait wait_;
};

/// A wait for an operation. To stop it is to cancel the operation, which then ends.
template <operation Operation>
class operation_wait {
public:
    operation_wait(frame_head& waiter, Operation& awaited) noexcept
        : waiter_{&waiter}, operation_{&awaited} {}
    operation_wait(const operation_wait&) = delete;
    operation_wait& operator=(const operation_wait&) = delete;

    [[nodiscard]] bool await_ready() {
        require_unstopped(*waiter_->owner, "co_await of an operation");
        return !operation_->start(node_.make(*waiter_->owner, word_));
    }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        chain& own = *waiter_->owner;
        own.set_leaf(*waiter_);
        if (own.stop().stop_possible()) stop_.emplace(own.stop(), stopper{*this});
        return word_.try_suspend();
    }
    typename Operation::result_type await_resume() {
        stop_.reset();
        return operation_->take();
    }

    void operator()() noexcept { operation_->cancel(); }

private:
    /// The operation may end before the coroutine is suspended, while `start` still runs.
    struct end_node : completion_node {
        chain* waiting;
        suspension* word;
        end_node(chain& owner, suspension& own) noexcept
            : completion_node{.notify = &ended}, waiting{&owner}, word{&own} {}
        static void ended(completion_node& node) noexcept {
            const auto& self = static_cast<end_node&>(node);
            chain& resumed = *self.waiting; // CW4
            if (self.word->end() == suspension::verdict::resume) resumed.queue();
        }
    };

    frame_head* waiter_;
    Operation* operation_;
    suspension word_;
    stop_link<operation_wait> stop_;
    node_room<end_node> node_;
};

/// A turn for other tasks.
class turn_wait {
public:
    explicit turn_wait(frame_head& waiter) noexcept : waiter_{&waiter} {}
    [[nodiscard]] bool await_ready() const {
        require_unstopped(*waiter_->owner, "weft::yield");
        return false;
    }
    [[gnu::noinline]] void await_suspend(std::coroutine_handle<> /*self*/) const noexcept {
        chain& own = *waiter_->owner;
        own.set_leaf(*waiter_);
        own.queue_behind();
    }
    void await_resume() const { require_unstopped(*waiter_->owner, "weft::yield"); }

private:
    frame_head* waiter_;
};

/// A move to another pool.
class move_wait {
public:
    move_wait(frame_head& waiter, pool_front& target) noexcept
        : waiter_{&waiter}, target_{&target} {}
    [[nodiscard]] bool await_ready() const noexcept { return waiter_->owner->is_home(*target_); }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        chain& own = *waiter_->owner;
        own.set_leaf(*waiter_);
        return own.try_move(*target_);
    }
    void await_resume() const {
        if (!waiter_->owner->is_home(*target_)) throw error{errc::stopped, "weft::move_to"};
    }

private:
    frame_head* waiter_;
    pool_front* target_;
};

/// The chain's stop token, at once.
class token_wait {
public:
    explicit token_wait(frame_head& waiter) noexcept : waiter_{&waiter} {}
    [[nodiscard]] static bool await_ready() noexcept { return true; }
    static void await_suspend(std::coroutine_handle<> /*self*/) noexcept {}
    [[nodiscard]] std::stop_token await_resume() const noexcept { return waiter_->owner->stop(); }

private:
    frame_head* waiter_;
};

} // namespace weft::inline v0::detail
