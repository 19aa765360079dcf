// The task of a completion: it is never run, only completed.
#pragma once

#include <weft/api.hpp>
#include <weft/future.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace weft::inline v0::detail {

template <class T, class Begin, class Next>
class holding_task;

/// Throws `outside_pool`.
[[nodiscard]] WEFT_API pool_front& completion_pool(weft::pool* named);

/// Held by the completion until it is completed, and by the handle of the future.
template <class T>
class completion_task final : public result_task<T> {
public:
    static completion_task* make(pool_front& home) {
        return ::new (allocate_task(sizeof(completion_task), alignof(completion_task)))
            completion_task{home};
    }

    /// Called by the owner of the completion before it is completed; returns false if the future
    /// was taken already.
    [[nodiscard]] bool try_give_future() noexcept { return !std::exchange(given_, true); }

    /// Each of these ends the hold of the completion. If the future was not taken, the hold of its
    /// handle ends too.
    template <class... Value>
    void fulfil(Value&&... value) noexcept {
        claim();
        if constexpr (!std::is_void_v<T>) this->keep(std::forward<Value>(value)..., report_);
        end();
    }
    void fail_with(std::exception_ptr error) noexcept {
        claim();
        this->fail(std::move(error), report_);
        end();
    }
    void break_off() noexcept {
        // If the future was not taken, there is nothing to report.
        break_off_with(given_ ? report_ : nullptr);
    }
    /// The same for a future that was taken and will not be read.
    void break_off_quietly() noexcept { break_off_with(nullptr); }

private:
    explicit completion_task(pool_front& home) noexcept
        : result_task<T>{task_home{home}, completion_word::made_dormant{}}, report_{home.errors} {}
    void claim() noexcept { static_cast<void>(this->word.claim_from_queue()); }
    void break_off_with(std::shared_ptr<const error_handler> report) noexcept {
        claim();
        refuse(errc::broken, std::move(report));
        end();
    }
    void end() noexcept {
        // The handle first: afterwards the task may be destroyed.
        const bool free_now = !given_ && this->word.drop_handle();
        static_cast<void>(free_now); // it is not done yet, so it is not freed here
        this->complete();
    }

    void execute(worker& /*caller*/) noexcept override {}
    using result_task<T>::refuse;
    void destroy() noexcept override {
        std::destroy_at(this);
        free(this);
    }
    static void free(void* memory) noexcept {
        free_task(memory, sizeof(completion_task), alignof(completion_task));
    }

    const std::shared_ptr<const error_handler> report_; // the pool may be gone when it is completed
    bool given_ = false;                                // the future was taken
};

} // namespace weft::inline v0::detail
