// A coroutine's wait for resources, and what it then holds.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/coroutine/chain.hpp>
#include <weft/detail/coroutine/suspension.hpp>
#include <weft/detail/coroutine/waits.hpp>
#include <weft/detail/resource/ticket.hpp>
#include <weft/error.hpp>

#include <coroutine>
#include <span>
#include <utility>

namespace weft::inline v0 {

template <class Needs>
class lease;

namespace detail {

/// The ticket of a coroutine. One piece of memory with its entries, apart from the frame: an entry
/// may be used by its follower when the coroutine has ended.
///
/// The states of its word: nobody is done; granted (`end`); stopped before that, after which the
/// resources pass its turns on as they come, and it frees itself when it has had all.
class WEFT_API lease_ticket {
public:
    /// The claims are arranged. Throws std::bad_alloc.
    [[nodiscard]] static lease_ticket& make(chain& waiting, std::span<const claim> claims);
    lease_ticket(const lease_ticket&) = delete;
    lease_ticket& operator=(const lease_ticket&) = delete;

    /// Enters the queues; true if it was granted at once. Otherwise `word` is ended when it is.
    [[nodiscard]] bool enter() noexcept;
    /// True if the coroutine is suspended.
    [[nodiscard]] bool begin_wait() noexcept;
    /// When the coroutine continues: no stop is under way any more.
    void end_stop() noexcept { link_.reset(); }
    /// Stops the wait.
    void operator()() noexcept;
    /// After it was granted: passes the resources on, and ends it.
    void release() noexcept;
    /// After the wait was stopped.
    void leave() noexcept;

    suspension word;

private:
    lease_ticket(chain& waiting, ticket& own) noexcept : waiting_{&waiting}, ticket_{&own} {}
    static void granted(ticket& self, bool submitting) noexcept;
    void pass_on() noexcept;
    void free() noexcept;

    static const ticket::kind kind;

    chain* const waiting_;
    ticket* const ticket_;
    lane* own_lane_ = nullptr;
    stop_link<lease_ticket> link_;
    lease_ticket* next_ = nullptr; // in a list of those that pass on
    bool at_once_ = false;
};

/// Whether all of these would be granted at once: a guess. A ticket that has entered some queues
/// cannot leave them before its turn, so what is only tried for enters none if this is false.
[[nodiscard]] WEFT_API bool look_free(std::span<const claim> claims) noexcept;

/// A wait for the resources that `Needs` names.
template <class Needs>
class lease_wait {
public:
    /// The needs live as long: they are part of the awaited expression.
    lease_wait(frame_head& waiter, Needs& needs, bool waits) noexcept
        : waiter_{&waiter}, needs_{&needs}, waits_{waits} {}
    lease_wait(const lease_wait&) = delete;
    lease_wait& operator=(const lease_wait&) = delete;
    ~lease_wait() {
        if (ticket_ == nullptr) return;
        ticket_->end_stop();
        if (ticket_->word.stopped()) ticket_->leave();
        else ticket_->release(); // granted, but not wanted any more
    }

    [[nodiscard]] bool await_ready() {
        chain& own = *waiter_->owner;
        require_unstopped(own, call());
        if (waits_ && own.holds()) throw error{errc::would_deadlock, call()}; // CO4
        const std::span<const claim> claims = needs_->claims(call());
        if (!waits_ && !look_free(claims)) return true;
        lease_ticket& made = lease_ticket::make(own, claims);
        ticket_ = &made;
        if (made.enter()) return true;
        if (waits_) return false;
        made(); // not suspended: nobody is resumed
        return true;
    }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        chain& own = *waiter_->owner;
        own.set_leaf(*waiter_);
        return ticket_->begin_wait();
    }
    lease<Needs> await_resume() {
        if (ticket_ != nullptr) ticket_->end_stop();
        const bool missed = ticket_ == nullptr || ticket_->word.stopped();
        if (missed && waits_) throw error{errc::cancelled, call()};
        auto data = needs_->data(); // it may throw; then the resources are released here
        if (missed) return lease<Needs>{nullptr, nullptr, std::move(data)};
        return lease<Needs>{waiter_->owner, std::exchange(ticket_, nullptr), std::move(data)};
    }

private:
    [[nodiscard]] const char* call() const noexcept {
        return waits_ ? "co_await weft::when" : "weft::try_when";
    }

    frame_head* waiter_;
    Needs* needs_;
    bool waits_;
    lease_ticket* ticket_ = nullptr;
};

} // namespace detail
} // namespace weft::inline v0
