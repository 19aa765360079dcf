// The result of a task that several handles share.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/future.hpp>

#include <memory>
#include <utility>

namespace weft::inline v0::detail {

/// Keeps the handle of a task for all copies; the last one drops it.
template <class T>
class shared_result {
public:
    shared_result() noexcept = default;
    explicit shared_result(future<T>&& single)
        : kept_{single.valid() ? std::make_shared<holder>(std::move(single)) : nullptr} {}

    [[nodiscard]] bool valid() const noexcept { return kept_ != nullptr; }
    [[nodiscard]] result_task<T>& task(const char* call) const {
        if (kept_ == nullptr) throw error{errc::invalid_argument, call};
        return future_access::result(kept_->single, call);
    }
    /// After the task is ready.
    decltype(auto) read() const {
        kept_->requested.store(true, sync::relaxed); // seen by the last holder
        return task("weft::shared_future::get").read();
    }

private:
    struct holder {
        future<T> single;
        sync::atomic<bool> requested{false};
        explicit holder(future<T>&& given) noexcept : single{std::move(given)} {}
        holder(const holder&) = delete;
        holder& operator=(const holder&) = delete;
        ~holder() {
            if (!requested.load(sync::relaxed)) return;
            future_access::result(single, "weft::shared_future").forget_report();
        }
    };
    std::shared_ptr<holder> kept_;
};

} // namespace weft::inline v0::detail
