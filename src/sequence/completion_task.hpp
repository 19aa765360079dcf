// The task behind a completion: never run, only completed.
#pragma once

#include "pool/pool_core.hpp"

#include <weft/future.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace weft::detail {

template <class T, class Begin, class Next>
class holding_task;

/// Throws `outside_pool`.
[[nodiscard]] pool_core& completion_pool(weft::pool* named);

/// Two have it: the completion until it is completed, and the future's handle.
template <class T>
class completion_task final : public result_task<T> {
public:
    static completion_task* make(pool_core& home) {
        struct guard {
            void* memory;
            ~guard() {
                if (memory != nullptr) free(memory);
            }
        } unmade{allocate_task(sizeof(completion_task), alignof(completion_task))};
        auto* made = ::new (unmade.memory) completion_task{home};
        unmade.memory = nullptr;
        return made;
    }

    /// Each of these ends the completion's use of it. If nobody has the future, its handle ends too.
    template <class... Value>
    void fulfil(bool given, Value&&... value) noexcept {
        claim();
        if constexpr (std::is_void_v<T>) this->keep(nothing{}, report_);
        else this->keep(std::forward<Value>(value)..., report_);
        end(given);
    }
    void fail_with(bool given, std::exception_ptr why) noexcept {
        claim();
        this->fail(std::move(why), report_);
        end(given);
    }
    void break_off(bool given) noexcept {
        claim();
        // Where nobody has the future, nobody is told.
        refuse(errc::broken, given ? report_ : nullptr);
        end(given);
    }
    /// The same where somebody has the future and will not look.
    void break_off_quietly() noexcept {
        claim();
        refuse(errc::broken, nullptr);
        end(true);
    }

private:
    explicit completion_task(pool_core& home)
        : result_task<T>{task_home{home}, completion_word::made_dormant{}}, report_{home.errors} {}
    void claim() noexcept { static_cast<void>(this->word.claim_from_queue()); }
    void end(bool given) noexcept {
        // The handle first: afterwards it may be gone.
        const bool free_now = !given && this->word.drop_handle();
        static_cast<void>(free_now); // it is not done yet
        this->complete();
    }

    void execute(worker& /*here*/) noexcept override {}
    using result_task<T>::refuse;
    void destroy() noexcept override {
        std::destroy_at(this);
        free(this);
    }
    static void free(void* memory) noexcept {
        free_task(memory, sizeof(completion_task), alignof(completion_task));
    }

    const std::shared_ptr<const error_handler> report_; // the pool may be gone then
};

} // namespace weft::detail
