// The promise of a task: what its coroutine may await, and its result.
#pragma once

#include <weft/detail/coroutine/chain.hpp>
#include <weft/detail/coroutine/lease_wait.hpp>
#include <weft/detail/coroutine/requests.hpp>
#include <weft/detail/coroutine/task_group_wait.hpp>
#include <weft/detail/coroutine/waits.hpp>
#include <weft/error.hpp>
#include <weft/nothing.hpp>
#include <weft/resource.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

template <class T>
class task;

namespace detail {

/// The next frame of the chain runs, or the chain ends.
class last_wait {
public:
    last_wait() noexcept {} // NOLINT(modernize-use-equals-default): no aggregate
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
        frame_head& ended = self.promise();
        if (ended.parent != nullptr) ended.owner->set_next(*ended.parent);
        else ended.owner->set_ended(ended);
    }
    void await_resume() const noexcept {}
};

/// `await_transform` has an overload for everything that can be awaited: other types do not
/// compile, since they would resume the coroutine wherever they please.
class promise_base : public frame_head {
public:
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] last_wait final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }

    template <class T>
    child_wait<promise<T>> await_transform(weft::task<T>&& child) {
        return {*this, task_access::take(child, "co_await weft::task")};
    }
    template <class T>
    shielded_wait<promise<T>> await_transform(shielded_request<T>&& child) {
        return {*this, task_access::take(child.shielded, "weft::shielded")};
    }
    template <class T>
    future_wait<T> await_transform(future<T>&& awaited) {
        return {*this, awaited};
    }
    template <class T>
    future_wait<T> await_transform(future<T>& awaited) {
        return {*this, awaited};
    }
    template <class T>
    shared_future_wait<T> await_transform(const shared_future<T>& awaited) {
        return {*this, awaited};
    }
    template <class Needs>
    lease_wait<Needs> await_transform(request<Needs>&& named) {
        return {*this, request_access::needs(named), true};
    }
    template <class Needs>
    lease_wait<Needs> await_transform(try_request<Needs>&& named) {
        return {*this, named.needs, false};
    }
    turn_wait await_transform(yield_request /*asked*/) noexcept { return turn_wait{*this}; }
    token_wait await_transform(token_request /*asked*/) noexcept { return token_wait{*this}; }
    move_wait await_transform(move_request asked) noexcept { return {*this, *asked.target}; }
    template <class... T>
    all_wait<T...> await_transform(all_request<T...>&& asked) {
        return {*this, asked};
    }
    template <class T>
    all_range_wait<T> await_transform(all_range_request<T>&& asked) {
        return {*this, asked};
    }
    template <class... T>
    any_wait<T...> await_transform(any_request<T...>&& asked) {
        return {*this, asked};
    }
    template <class T>
    any_range_wait<T> await_transform(any_range_request<T>&& asked) {
        return {*this, asked};
    }
    template <class Awaited>
        requires operation<std::remove_reference_t<Awaited>>
    operation_wait<std::remove_reference_t<Awaited>> await_transform(Awaited&& awaited) {
        return {*this, awaited};
    }
};

template <class T>
class promise final : public promise_base {
public:
    weft::task<T> get_return_object() noexcept {
        self = std::coroutine_handle<promise>::from_promise(*this);
        return weft::task<T>{*this};
    }
    template <class Value = T>
        requires std::is_constructible_v<T, Value&&>
    void return_value(Value&& value) noexcept(std::is_nothrow_constructible_v<T, Value&&>) {
        result_.emplace(std::forward<Value>(value));
    }
    T take() {
        if (failure) std::rethrow_exception(std::move(failure));
        return std::move(*result_);
    }

private:
    std::optional<T> result_;
};

template <class T>
class promise<T&> final : public promise_base {
public:
    weft::task<T&> get_return_object() noexcept {
        self = std::coroutine_handle<promise>::from_promise(*this);
        return weft::task<T&>{*this};
    }
    void return_value(T& value) noexcept { result_ = std::addressof(value); }
    T& take() {
        if (failure) std::rethrow_exception(std::move(failure));
        return *result_;
    }

private:
    T* result_ = nullptr;
};

/// A template, since `task` is not defined yet.
template <class Nothing>
class promise_of_nothing : public promise_base {
public:
    weft::task<Nothing> get_return_object() noexcept {
        auto& own = static_cast<promise<Nothing>&>(*this);
        self = std::coroutine_handle<promise<Nothing>>::from_promise(own);
        return weft::task<Nothing>{own};
    }
};
template <>
class promise<void> final : public promise_of_nothing<void> {
public:
    void return_void() const noexcept {}
    void take() {
        if (failure) std::rethrow_exception(std::move(failure));
    }
};

} // namespace detail
} // namespace weft::inline v0
