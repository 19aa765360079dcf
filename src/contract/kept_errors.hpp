// Exceptions that are kept until a waiter asks for them.
#pragma once

#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/mutex.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// What contracts threw and no handler received, the oldest first.
///
/// | operation                      | caller                        | progress             |
/// |--------------------------------|-------------------------------|----------------------|
/// | keep                           | any thread                    | lock-free, allocates |
/// | has_arrived                    | any thread                    | wait-free            |
/// | is_empty, take_first, take_all | wait() and the end of a group | waits for a mutex    |
class kept_errors {
public:
    /// If there is no memory for it, the program ends: no exception is lost.
    void keep(std::exception_ptr error) noexcept {
        arrived_.push(sync::make<thrown>(std::move(error)));
    }
    /// Whether one was kept that no waiter has looked at yet.
    [[nodiscard]] bool has_arrived() const noexcept { return !arrived_.empty(); }

    [[nodiscard]] bool is_empty() noexcept {
        const sync::lock_guard lock{mutex_};
        collect();
        return errors_.empty();
    }
    /// The oldest, or null.
    [[nodiscard]] std::exception_ptr take_first() noexcept {
        const sync::lock_guard lock{mutex_};
        collect();
        if (errors_.empty()) return nullptr;
        std::exception_ptr first = std::move(errors_.front());
        errors_.erase(errors_.begin());
        return first;
    }
    [[nodiscard]] std::vector<std::exception_ptr> take_all() noexcept {
        const sync::lock_guard lock{mutex_};
        collect();
        return std::exchange(errors_, {});
    }

private:
    struct thrown {
        explicit thrown(std::exception_ptr kept) noexcept : error{std::move(kept)} {}
        std::exception_ptr error;
        thrown* next = nullptr;
    };
    void collect() noexcept {
        for (thrown* each = arrived_.take_all(); each != nullptr;) {
            thrown* next = each->next;
            errors_.push_back(std::move(each->error)); // if there is no memory, the program ends
            sync::destroy(each);
            each = next;
        }
    }

    inbox<thrown> arrived_;
    sync::mutex mutex_; // no executing thread takes it
    std::vector<std::exception_ptr> errors_;
};

} // namespace weft::inline v0::detail
