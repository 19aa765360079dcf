#include <weft/detail/pool/error_handler.hpp>

#include "sync/stack_local.hpp"

#include <weft/detail/pool/worker.hpp>

#include <cstdio>
#include <utility>

namespace weft::inline v0::detail {

void error_handler::report(std::exception_ptr error) const noexcept {
    if (on_error) {
        on_error(std::move(error));
        return;
    }
    try {
        std::rethrow_exception(error);
    } catch (const weft::error& known) {
        // The program has caused these itself.
        if (known.code() == errc::not_run || known.code() == errc::cancelled) return;
    } catch (...) { // NOLINT(bugprone-empty-catch): it is thrown again below
    }
    std::fputs("weft: a task threw, its result was never requested, and the pool has no on_error\n",
               stderr);
    std::rethrow_exception(std::move(error)); // terminates, and names the exception
}

namespace {

using innermost = sync::stack_local<sync::stack_word::failures, failure_collection*>;

const void* top_running() noexcept {
    const worker* caller = worker::current();
    return caller != nullptr ? caller->top_running() : nullptr;
}

/// Of a task that was not run either, what is nested in its failure, if anything: so a chain of
/// continuations that are not run ends in failures of one level, whatever its length.
std::exception_ptr root_of(const std::exception_ptr& cause) {
    if (!cause) return nullptr;
    try {
        std::rethrow_exception(cause);
    } catch (const error& known) {
        if (known.code() != errc::not_run && known.code() != errc::cancelled) return cause;
        const auto* nesting = dynamic_cast<const std::nested_exception*>(&known);
        return nesting != nullptr ? nesting->nested_ptr() : nullptr;
    } catch (...) {
        return cause;
    }
}

} // namespace

failure_collection::failure_collection() noexcept
    : running_{top_running()}, outer_{innermost::get()} {
    innermost::set(this);
}
failure_collection::~failure_collection() { innermost::set(outer_); }

void failure_collection::keep_or_report(std::shared_ptr<const error_handler> handler,
                                        std::exception_ptr failure) noexcept {
    failure_collection* collection = innermost::get();
    if (collection == nullptr || collection->running_ != top_running()) {
        handler->report(std::move(failure));
    } else if (!collection->first_) {
        collection->first_ = std::move(failure);
        collection->handler_ = std::move(handler);
    }
}

std::exception_ptr make_error(errc code, const char* call,
                              const std::exception_ptr& cause) noexcept {
    try {
        const std::exception_ptr root = root_of(cause);
        if (!root) throw error{code, call};
        try {
            std::rethrow_exception(root);
        } catch (...) {
            std::throw_with_nested(error{code, call});
        }
    } catch (...) {
        return std::current_exception();
    }
}

} // namespace weft::inline v0::detail
