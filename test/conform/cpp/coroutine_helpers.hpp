// What tests of coroutines share.
#pragma once

#include "conform/cpp/rendezvous.hpp"

#include <weft/coroutine.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/error.hpp>

#include <atomic>
#include <mutex>
#include <utility>

namespace weft::test {

/// Counts the objects of a test that live.
class guest {
public:
    explicit guest(std::atomic<int>& count) : count_{&count} { ++*count_; }
    guest(const guest& other) : count_{other.count_} { ++*count_; }
    guest& operator=(const guest&) = delete;
    ~guest() { --*count_; }

private:
    std::atomic<int>* count_;
};

/// An operation that the test ends, on a thread of its choice.
class manual_operation {
public:
    using result_type = int;

    manual_operation() = default;
    explicit manual_operation(bool ends_at_once) : ended_{ends_at_once} {}

    bool start(detail::completion_node& end) {
        const std::scoped_lock locked{mutex_};
        if (ended_) return false;
        end_ = &end;
        started.happen();
        return true;
    }
    void cancel() noexcept { end(true); }
    int take() {
        if (cancelled_) throw error{errc::cancelled, "manual_operation"};
        return 7;
    }
    /// By the test.
    void finish() { end(false); }

    event started;

private:
    void end(bool by_request) noexcept {
        detail::completion_node* notified = nullptr;
        {
            const std::scoped_lock locked{mutex_};
            if (ended_) return;
            ended_ = true;
            cancelled_ = by_request;
            notified = std::exchange(end_, nullptr);
        }
        if (notified != nullptr) notified->notify(*notified);
    }

    std::mutex mutex_;
    detail::completion_node* end_ = nullptr;
    bool ended_ = false;
    bool cancelled_ = false;
};
static_assert(detail::operation<manual_operation>);

inline task<int> one() { co_return 1; }
inline task<> fail_with(const char* text) {
    throw std::runtime_error{text};
    co_return;
}

} // namespace weft::test
