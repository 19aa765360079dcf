// The task of a countdown.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/future.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// Throws `outside_pool`.
[[nodiscard]] WEFT_API pool_front& countdown_pool();

/// A dormant task, submitted by the last of its dependencies.
///
/// | operation       | caller                             | progress  |
/// |-----------------|------------------------------------|-----------|
/// | add             | a dependency, which has not ended  | wait-free |
/// | arrive          | each dependency, once              | wait-free |
/// | note_failure    | a dependency, which has not ended  | wait-free |
/// | try_give_future | the same                           | wait-free |
///
/// Invariants
///  CT1  The task is submitted once, by the dependency that ends last; a dependency is added only
///  by
///       one that has not ended, so the count does not come back from zero.
///  CT2  What came before every dependency ended happens before the task runs.
template <class T>
class counted_task : public result_task<T> {
public:
    void add() noexcept { dependencies_.fetch_add(1, sync::relaxed); }
    void arrive() noexcept {
        // CT2: release for what came before, acquire for the last to have it all [DOWN-1]
        if (dependencies_.fetch_sub(1, sync::acq_rel) != 1) return;
        // Nobody can ask for the future any more. The task is not done yet, so this frees nothing.
        if (!given_.load(sync::relaxed)) static_cast<void>(this->word.drop_handle());
        this->submit_when_ready();
    }
    void note_failure(std::exception_ptr failure) noexcept {
        if (!failed_.exchange(true, sync::relaxed)) failure_ = std::move(failure);
    }
    [[nodiscard]] bool try_give_future() noexcept { return !given_.exchange(true, sync::relaxed); }

protected:
    explicit counted_task(pool_front& home) noexcept
        : result_task<T>{task_home{home}, completion_word::made_dormant{}} {}
    /// The first failure, or null.
    [[nodiscard]] std::exception_ptr take_failure() noexcept { return std::move(failure_); }

private:
    sync::atomic<std::size_t> dependencies_{1};
    sync::atomic<bool> given_{false};
    sync::atomic<bool> failed_{false};
    std::exception_ptr failure_; // published by the end of the dependency that failed first
};

template <class Body, class T = result_of<Body>>
class countdown_call final : public counted_task<T> {
public:
    template <class Source>
    static countdown_call& make(pool_front& home, Source&& source) {
        std::unique_ptr<void, raw_memory> memory{
            allocate_task(sizeof(countdown_call), alignof(countdown_call))};
        auto* made = ::new (memory.get()) countdown_call(home, std::forward<Source>(source));
        static_cast<void>(memory.release());
        return *made;
    }

private:
    struct raw_memory {
        void operator()(void* memory) const noexcept {
            free_task(memory, sizeof(countdown_call), alignof(countdown_call));
        }
    };
    template <class Source>
    countdown_call(pool_front& home, Source&& source)
        : counted_task<T>{home}, body_{std::in_place, std::forward<Source>(source)} {}

    void execute(worker& caller) noexcept override {
        if (std::exception_ptr noted = this->take_failure()) {
            body_.reset();
            this->fail(std::move(noted), this->home().pool->errors);
            return;
        }
        {
            const worker::running now{caller, nullptr};
            this->run_and_keep(*body_);
        }
        body_.reset();
    }
    void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept override {
        if (std::exception_ptr noted = this->take_failure()) {
            body_.reset();
            return this->fail(std::move(noted), std::move(report));
        }
        this->refuse_closure(body_, reason, std::move(report));
    }
    void destroy() noexcept override {
        std::destroy_at(this);
        raw_memory{}(this);
    }

    std::optional<Body> body_; // until it was run or refused
};

} // namespace weft::inline v0::detail
