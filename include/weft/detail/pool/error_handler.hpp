// Exceptions of tasks whose result is never requested.
#pragma once

#include <weft/api.hpp>
#include <weft/error.hpp>

#include <exception>
#include <functional>
#include <memory>

namespace weft::inline v0::detail {

/// Receives the exceptions of tasks whose result is never requested; lives as long as such a task
/// may exist.
struct error_handler {
    std::function<void(std::exception_ptr)> on_error;
    WEFT_API void report(std::exception_ptr error) const noexcept;
};

/// While it lives, the failures that this thread would report are kept here instead.
///
/// A task that is refused destroys its closure, and with it the failed futures that the closure
/// owns. Their results were to be requested by the task that is not run: so they are the cause of
/// its own failure, and are not reported. Tasks that the closure's destructor runs on this worker
/// report their failures as usual.
class WEFT_API failure_collection {
public:
    failure_collection() noexcept;
    ~failure_collection();
    failure_collection(const failure_collection&) = delete;
    failure_collection& operator=(const failure_collection&) = delete;

    /// The first failure that was collected, or null; further ones are dropped.
    [[nodiscard]] const std::exception_ptr& first() const noexcept { return first_; }
    /// The handler that would have received it, or null.
    [[nodiscard]] const std::shared_ptr<const error_handler>& handler() const noexcept {
        return handler_;
    }

    /// Keeps the failure in the innermost collection of this thread; reports it if there is none,
    /// or a task runs on top of it.
    static void keep_or_report(std::shared_ptr<const error_handler> handler,
                               std::exception_ptr failure) noexcept;

private:
    std::exception_ptr first_;
    std::shared_ptr<const error_handler> handler_;
    const void* running_; // the worker's innermost running task when this was made
    failure_collection* outer_;
};

/// An `error` of this code; `cause`, or its own cause if it is `not_run` or `cancelled`, is nested
/// in it (std::nested_exception). Without memory it is std::bad_alloc.
[[nodiscard]] WEFT_API std::exception_ptr make_error(errc code, const char* call,
                                                     const std::exception_ptr& cause) noexcept;

} // namespace weft::inline v0::detail
