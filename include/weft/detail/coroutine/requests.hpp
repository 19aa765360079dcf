// What functions return that only a coroutine can await.
#pragma once

#include <weft/detail/pool/pool_front.hpp>
#include <weft/error.hpp>

#include <tuple>
#include <utility>
#include <vector>

namespace weft::inline v0 {

template <class T>
class task;

namespace detail {

template <class T>
class promise;

/// Access to the frame of a task; throws `invalid_argument` if it has none.
struct task_access {
    template <class T>
    static promise<T>& frame(const weft::task<T>& owner, const char* call) {
        if (owner.frame_ == nullptr) throw error{errc::invalid_argument, call};
        return *owner.frame_;
    }
    /// The task has none afterwards.
    template <class T>
    static promise<T>& take(weft::task<T>& owner, const char* call) {
        promise<T>& taken = frame(owner, call);
        owner.frame_ = nullptr;
        return taken;
    }
};

// Classes with constructors; see weft/detail/coroutine/waits.hpp.

class yield_request {
public:
    yield_request() noexcept {} // NOLINT(modernize-use-equals-default): no aggregate
};
class token_request {
public:
    token_request() noexcept {} // NOLINT(modernize-use-equals-default): no aggregate
};
class move_request {
public:
    explicit move_request(pool_front& other) noexcept : target{&other} {}
    pool_front* target;
};
template <class Needs>
class try_request {
public:
    explicit try_request(Needs named) : needs{std::move(named)} {}
    Needs needs;
};
template <class T>
class shielded_request {
public:
    explicit shielded_request(weft::task<T>&& child) noexcept : shielded{std::move(child)} {}
    weft::task<T> shielded;
};
template <class... T>
class all_request {
public:
    explicit all_request(weft::task<T>&&... children) noexcept : tasks{std::move(children)...} {}
    std::tuple<weft::task<T>...> tasks;
};
template <class T>
class all_range_request {
public:
    explicit all_range_request(std::vector<weft::task<T>>&& children) noexcept
        : tasks{std::move(children)} {}
    std::vector<weft::task<T>> tasks;
};
template <class... T>
class any_request {
public:
    explicit any_request(weft::task<T>&&... children) noexcept : tasks{std::move(children)...} {}
    std::tuple<weft::task<T>...> tasks;
};
template <class T>
class any_range_request {
public:
    explicit any_range_request(std::vector<weft::task<T>>&& children) noexcept
        : tasks{std::move(children)} {}
    std::vector<weft::task<T>> tasks;
};

} // namespace detail
} // namespace weft::inline v0
