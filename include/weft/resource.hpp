// Resources without locks: a task names the resources it needs, and runs when it has all of them.
#pragma once

#include <weft/api.hpp>
#include <weft/completion.hpp>
#include <weft/detail/resource/access.hpp>
#include <weft/detail/resource/holding_task.hpp>
#include <weft/detail/resource/resource_task.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/when_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// Access to a resource: one task writes it, or any number of tasks read it.
struct read_write {
    static constexpr bool is_shared = true; ///< readers have it at the same time
};
/// Access to a resource: one task at a time. Takes 8 bytes in addition to the data instead of 24.
struct exclusive {
    static constexpr bool is_shared = false; ///< no two tasks have it at the same time
};

/// A `T` that can only be accessed by tasks that name it. It cannot be moved. It may be destroyed
/// once the future of the last task that named it is ready. Destroying it earlier is undefined
/// behaviour; checked builds (WEFT_CHECKED) report it and abort.
template <class T, class Sharing = read_write>
class resource {
public:
    /// Constructs the data from the arguments.
    template <class... Arguments>
        requires std::is_constructible_v<T, Arguments...>
    explicit resource(Arguments&&... arguments) : data_(std::forward<Arguments>(arguments)...) {}
    /// No task may be queued for it or have it.
    ~resource() { detail::check_unused(word_, "weft::resource: destroyed while a task needs it"); }
    resource(const resource&) = delete;
    resource& operator=(const resource&) = delete;

private:
    friend detail::access_factory;
    detail::word_of<Sharing> word_;
    T data_;
};

/// A capacity that tasks share: bandwidth, connections, memory. A task takes 1 of it, or the weight
/// given to `take`; tasks run at the same time as long as their total weight is at most the
/// capacity.
class WEFT_API limit {
public:
    /// The capacity is from 1 to 2^30, otherwise this throws `errc::invalid_argument`.
    explicit limit(std::uint32_t capacity);
    /// No task may be queued for it or have part of it.
    ~limit() { detail::check_unused(word_, "weft::limit: destroyed while a task needs it"); }
    limit(const limit&) = delete;
    limit& operator=(const limit&) = delete;
    /// The capacity.
    [[nodiscard]] std::uint32_t capacity() const noexcept { return word_.capacity(); }

private:
    friend detail::access_factory;
    detail::limit_word word_;
};

/// Resources that are identified by keys instead of objects: any key that can be hashed stands for
/// one of a fixed number of words, and `space(key)` is passed to `when`. If two keys share a word,
/// their tasks run one after the other although they need not; nothing worse happens. Equal strings
/// are the same key, whatever type holds them.
template <class Sharing>
class basic_key_space {
public:
    /// Allocates at least this number of words, from 1 to 2^40, otherwise throws
    /// `errc::invalid_argument`. Throws std::bad_alloc.
    explicit basic_key_space(std::size_t words)
        : mask_{detail::key_words(words) - 1},
          words_{std::make_unique<detail::word_of<Sharing>[]>(mask_ + 1)} {}
    ~basic_key_space() {
        for (std::size_t i = 0; i <= mask_; ++i) {
            detail::check_unused(words_[i], "weft::key_space: destroyed while a task needs a key");
        }
    }
    basic_key_space(const basic_key_space&) = delete;
    basic_key_space& operator=(const basic_key_space&) = delete;

    /// The resource that the key stands for, to be passed to `when`, `read` or `write`.
    template <class Key>
    [[nodiscard]] detail::key<Sharing> operator()(const Key& key) const noexcept {
        return {&words_[detail::hash_of(key) & mask_]};
    }
    /// The number of words: a power of two.
    [[nodiscard]] std::size_t words() const noexcept { return mask_ + 1; }

private:
    std::size_t mask_;
    std::unique_ptr<detail::word_of<Sharing>[]> words_;
};
/// Keys that support `read`.
using key_space = basic_key_space<read_write>;
/// Keys that only one task at a time can have.
using exclusive_key_space = basic_key_space<exclusive>;

// The access that a task asks for. Without any of these a resource is written, and 1 is taken of a
// limit.

/// Shared access: at the same time as other tasks that read.
template <class T>
[[nodiscard]] auto read(resource<T, read_write>& named) noexcept {
    return detail::access_factory::make_read(named);
}
/// Shared access to a key.
[[nodiscard]] inline auto read(detail::key<read_write> named) noexcept {
    return detail::access_factory::make_read(named);
}
/// Exclusive access.
template <class T, class Sharing>
[[nodiscard]] auto write(resource<T, Sharing>& named) noexcept {
    return detail::access_factory::make(named);
}
/// Exclusive access to a key.
template <class Sharing>
[[nodiscard]] auto write(detail::key<Sharing> named) noexcept {
    return detail::access_factory::make(named);
}
/// Takes `weight` of the limit's capacity. When the task is submitted, a weight above the capacity
/// throws `errc::overweight`, and 0 throws `errc::invalid_argument`.
[[nodiscard]] inline auto take(limit& named, std::uint32_t weight) noexcept {
    return detail::access_factory::make_take(named, weight);
}

namespace detail {
/// For what else takes a request: nodes of graphs.
struct request_access {
    template <class Request>
    static auto& needs(Request& made) noexcept {
        return made.needs_;
    }
};
} // namespace detail

/// The resources that a task will need. Returned by `when`; `submit` or `hold` adds the task.
///
/// - Tasks that share a resource run one after the other (readers together), first come, first
///   served, in an order that is the same at all resources. Of two tasks submitted by one thread or
///   task, the first comes first.
/// - There is no deadlock, whatever is named in whatever order. A resource that is named twice
///   counts once, with the stronger access.
/// - No thread blocks or spins: neither `submit` nor a worker waits for another thread.
/// - On a worker, waiting for the future of such a task throws `errc::would_deadlock` unless it is
///   ready: use `then`. Threads outside a pool may wait.
template <class Needs>
class request {
public:
    /// For `when` only.
    explicit request(Needs needs) : needs_{std::move(needs)} {}

    /// Calls `body(data...)` when all resources have admitted the task: with a `T&` for each
    /// resource, or a `const T&` if it is read; limits and keys have no data. Returns a future of
    /// the result of `body`, or of its exception; either way the resources are passed on.
    ///
    /// Without a pool argument, the task runs on the calling worker's pool; on other threads this
    /// throws `errc::outside_pool`. Throws `errc::stopped`, `errc::overweight`,
    /// `errc::invalid_argument` (see `take`), std::bad_alloc, and what copying the body throws;
    /// then nothing was submitted. If the pool ends before the task is admitted, the task ends as
    /// `errc::not_run`.
    template <class Body>
    auto submit(Body&& body) && {
        return std::move(*this).submit_to(nullptr, {}, std::forward<Body>(body));
    }
    /// The same on the given pool.
    template <class Body>
    auto submit(pool& target, Body&& body) && {
        return std::move(*this).submit_to(&target, {}, std::forward<Body>(body));
    }
    /// The same with options.
    template <class Body>
    auto submit(const when_options& options, Body&& body) && {
        return std::move(*this).submit_to(nullptr, options, std::forward<Body>(body));
    }
    /// The same on the given pool, with options.
    template <class Body>
    auto submit(pool& target, const when_options& options, Body&& body) && {
        return std::move(*this).submit_to(&target, options, std::forward<Body>(body));
    }

    /// For operations that call back: `begin(data..., completion<T>)` starts the operation and
    /// returns. Its worker is then free for other tasks, but the resources are kept. When `begin`
    /// has returned and the completion was completed or dropped, `next(data..., future<T>)` runs as
    /// a new task on the same resources, with the outcome. If `begin` throws, `next` is not called,
    /// and the returned future has the exception.
    template <class T, class Begin, class Next>
    auto hold(Begin&& begin, Next&& next) && {
        return std::move(*this).template hold_on<T>(nullptr, {}, std::forward<Begin>(begin),
                                                    std::forward<Next>(next));
    }
    /// The same on the given pool.
    template <class T, class Begin, class Next>
    auto hold(pool& target, Begin&& begin, Next&& next) && {
        return std::move(*this).template hold_on<T>(&target, {}, std::forward<Begin>(begin),
                                                    std::forward<Next>(next));
    }
    /// The same with options.
    template <class T, class Begin, class Next>
    auto hold(const when_options& options, Begin&& begin, Next&& next) && {
        return std::move(*this).template hold_on<T>(nullptr, options, std::forward<Begin>(begin),
                                                    std::forward<Next>(next));
    }
    /// The same on the given pool, with options.
    template <class T, class Begin, class Next>
    auto hold(pool& target, const when_options& options, Begin&& begin, Next&& next) && {
        return std::move(*this).template hold_on<T>(&target, options, std::forward<Begin>(begin),
                                                    std::forward<Next>(next));
    }

private:
    friend detail::request_access;

    template <class Body>
    auto submit_to(pool* target, const when_options& options, Body&& body) && {
        auto run = [body = std::decay_t<Body>(std::forward<Body>(body)),
                    data = needs_.data()]() mutable -> decltype(auto) {
            return Needs::call(body, data);
        };
        using task = detail::resource_call<decltype(run)>;
        return enqueue<task, detail::result_of<decltype(run)>>(target, options, std::move(run));
    }
    template <class T, class Begin, class Next>
    auto hold_on(pool* target, const when_options& options, Begin&& begin, Next&& next) && {
        auto start = [begin = std::decay_t<Begin>(std::forward<Begin>(begin)),
                      data = needs_.data()](completion<T> done) mutable {
            static_cast<void>(Needs::call(begin, data, std::move(done)));
        };
        auto resume = [next = std::decay_t<Next>(std::forward<Next>(next)),
                       data = needs_.data()](future<T> done) mutable -> decltype(auto) {
            return Needs::call(next, data, std::move(done));
        };
        using task = detail::holding_task<T, decltype(start), decltype(resume)>;
        return enqueue<task, typename task::result>(target, options, std::move(start),
                                                    std::move(resume));
    }
    template <class Task, class Result, class... Parts>
    future<Result> enqueue(pool* target, const when_options& options, Parts&&... parts) {
        constexpr const char* call = "weft::when";
        detail::pool_front& home = detail::pool_for(target, call);
        detail::lane& own = detail::own_lane();
        const std::span<const detail::claim> claims = needs_.claims(call);
        Task& made =
            Task::make(detail::task_home{home}, claims, options, std::forward<Parts>(parts)...);
        future<Result> result{made};
        made.enter(own);
        return result;
    }

    Needs needs_;
};

/// Names what a task needs: resources, `read(…)` and `write(…)` of them, limits and `take(…)`,
/// keys; pointers and reference wrappers count as what they refer to. The body of the task is
/// called with a reference to the data of each resource, in this order. A task that needs nothing
/// is admitted at once.
template <class... Named>
    requires(detail::nameable<Named> && ...)
[[nodiscard]] auto when(Named&&... named) {
    return request{detail::fixed_needs{detail::access_factory::make(named)...}};
}

/// The same for a set that is known only at run time: a range of resources, limits, keys or
/// accesses, all of one type. The body is called with a `std::span` of pointers to their data, in
/// the order of the range; without arguments for limits and keys. With an empty range the task
/// needs nothing: it is admitted at once, and the span is empty.
template <class Range>
    requires detail::range_of_nameable<Range>
[[nodiscard]] auto when(Range&& range) {
    return request{detail::range_needs{range}};
}

/// Returns when everything this thread has submitted is enqueued at its resources. `submit` may
/// return a moment earlier if another thread is submitting a task on the same resources; tasks that
/// the same thread submits later are still enqueued later. Call it before you let another thread
/// submit something that must come later. It may wait for other threads inside `submit`, never for
/// a task. Do not call it in the destructor of an object that a body has captured: that may run
/// inside `submit`, and would wait for that same `submit`.
WEFT_API void wait_for_enqueued() noexcept;

} // namespace weft::inline v0
