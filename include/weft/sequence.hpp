// Resources without locks: a task says what it needs, and runs when it has it.
#pragma once

#include <weft/api.hpp>
#include <weft/completion.hpp>
#include <weft/detail/sequence/access.hpp>
#include <weft/detail/sequence/holding_task.hpp>
#include <weft/detail/sequence/sequenced_task.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// What tasks may do with a resource. `read_write`: one changes it, or any number read it.
struct read_write {
    static constexpr bool is_shared = true; ///< tasks may have it together
};
/// One at a time, whatever they do. Takes 8 bytes beside the data instead of 24.
struct exclusive {
    static constexpr bool is_shared = false; ///< they may not
};

/// A `T` that can only be touched inside a task that names it. Immovable. It must not end while tasks are
/// queued for it or have it: checked builds say so and abort, others do not look. When the future of the
/// last of them is ready, it may end.
template <class T, class Sharing = read_write>
class resource {
public:
    /// Makes the data of the arguments.
    template <class... Arguments>
        requires std::is_constructible_v<T, Arguments...>
    explicit resource(Arguments&&... arguments) : data_(std::forward<Arguments>(arguments)...) {}
    /// No task may be queued for it, or have it.
    ~resource() { detail::check_unused(word_, "weft::resource: it ends while a task wants it"); }
    resource(const resource&) = delete;
    resource& operator=(const resource&) = delete;

private:
    friend detail::access_of;
    detail::word_of<Sharing> word_;
    T data_;
};

/// So many at a time: bandwidth, connections, memory. A task takes 1, or what `take` says.
class WEFT_API limit {
public:
    /// From 1 to 2^30, else `errc::invalid_argument`.
    explicit limit(std::uint32_t capacity);
    /// No task may be queued for it, or have some of it.
    ~limit() { detail::check_unused(word_, "weft::limit: it ends while a task wants it"); }
    limit(const limit&) = delete;
    limit& operator=(const limit&) = delete;
    /// What it was made with.
    [[nodiscard]] std::uint32_t capacity() const noexcept { return word_.capacity(); }

private:
    friend detail::access_of;
    detail::gate_word word_;
};

/// Resources by name instead of by object: any key that can be hashed stands for one of a fixed number of
/// words. Two keys may share a word; then their tasks are sequenced though they need not be, and nothing
/// else happens. `space(key)` is what a task names. Equal text is one key, whatever type holds it.
template <class Sharing>
class basic_key_space {
public:
    /// At least so many words, from 1 to 2^40, else `errc::invalid_argument`. Throws std::bad_alloc too.
    explicit basic_key_space(std::size_t words)
        : mask_{detail::key_words(words) - 1},
          words_{std::make_unique<detail::word_of<Sharing>[]>(mask_ + 1)} {}
    ~basic_key_space() {
        for (std::size_t i = 0; i <= mask_; ++i) {
            detail::check_unused(words_[i], "weft::key_space: it ends while a task wants a key");
        }
    }
    basic_key_space(const basic_key_space&) = delete;
    basic_key_space& operator=(const basic_key_space&) = delete;

    /// What a task names for that key: to be given to `when`, `read` or `write`.
    template <class Key>
    [[nodiscard]] detail::key<Sharing> operator()(const Key& which) const noexcept {
        return {&words_[detail::hash_of(which) & mask_]};
    }
    /// How many words there are: a power of two.
    [[nodiscard]] std::size_t words() const noexcept { return mask_ + 1; }

private:
    std::size_t mask_;
    std::unique_ptr<detail::word_of<Sharing>[]> words_;
};
/// Keys that can be read together.
using key_space = basic_key_space<read_write>;
/// Keys that one task has at a time.
using exclusive_key_space = basic_key_space<exclusive>;

// How a task wants what it names. Without a word it is `write`, and of a limit `take(limit, 1)`.

/// Together with others that read.
template <class T>
[[nodiscard]] auto read(resource<T, read_write>& what) noexcept {
    return detail::access_of::reading(what);
}
/// The same for a key.
[[nodiscard]] inline auto read(detail::key<read_write> what) noexcept {
    return detail::access_of::reading(what);
}
/// Alone.
template <class T, class Sharing>
[[nodiscard]] auto write(resource<T, Sharing>& what) noexcept {
    return detail::access_of::of(what);
}
/// The same for a key.
template <class Sharing>
[[nodiscard]] auto write(detail::key<Sharing> what) noexcept {
    return detail::access_of::of(what);
}
/// So much of the limit's capacity. More than that is `errc::overweight` when the task is submitted, and
/// nothing at all `errc::invalid_argument`.
[[nodiscard]] inline auto take(limit& what, std::uint32_t weight) noexcept {
    return detail::access_of::taking(what, weight);
}

/// What a task needs, to be given the task. Made by `when` and `when_all`.
///
/// - Tasks that share a resource run one after the other (readers together), first come, first served, in
///   one order that all resources agree on. What a thread or task submits first comes first.
/// - There is no deadlock, whatever is named in whatever order. A resource that is named twice counts once,
///   with the most that is wanted of it.
/// - Nobody blocks and nobody spins: neither `submit` nor a worker waits for another.
/// - A task must not wait for such a future (`errc::would_deadlock`, on any worker, unless it is ready):
///   that is what `then` is for. Threads outside may wait.
template <class Needs>
class request {
public:
    /// For weft's own use: `when` and `when_all` make it.
    explicit request(Needs needs) : needs_{std::move(needs)} {}

    /// Calls `body(data...)` when all is admitted, with a `T&` for each resource, or a `const T&` where it
    /// reads; limits and keys have no data. Returns a future of the result; what `body` throws is there,
    /// and the resources are passed on in any case.
    ///
    /// Without a pool it is that of the calling worker; elsewhere `errc::outside_pool`. Throws
    /// `errc::stopped`, `errc::overweight`, `errc::invalid_argument` (see `take`), std::bad_alloc, and what copying the
    /// body throws; then nothing was submitted. If the pool ends before the task is admitted, the task ends as
    /// `errc::not_run`.
    template <class Body>
    auto submit(Body&& body) && {
        return std::move(*this).give(nullptr, {}, std::forward<Body>(body));
    }
    /// The same on that pool.
    template <class Body>
    auto submit(pool& where, Body&& body) && {
        return std::move(*this).give(&where, {}, std::forward<Body>(body));
    }
    /// The same with options.
    template <class Body>
    auto submit(const when_options& how, Body&& body) && {
        return std::move(*this).give(nullptr, how, std::forward<Body>(body));
    }
    /// The same on that pool, with options.
    template <class Body>
    auto submit(pool& where, const when_options& how, Body&& body) && {
        return std::move(*this).give(&where, how, std::forward<Body>(body));
    }

    /// For what calls back: `begin(data..., completion<T>)` starts it and returns; the task has ended then,
    /// and no thread waits, but the resources stay with it. When `begin` has returned and the completion was
    /// completed, or dropped, `next(data..., future<T>)` runs as a fresh task on the same resources, with
    /// the outcome. If `begin` throws, `next` is not called and the exception is in the future.
    template <class T, class Begin, class Next>
    auto hold(Begin&& begin, Next&& next) && {
        return std::move(*this).template give_both<T>(nullptr, {}, std::forward<Begin>(begin),
                                                      std::forward<Next>(next));
    }
    /// The same on that pool.
    template <class T, class Begin, class Next>
    auto hold(pool& where, Begin&& begin, Next&& next) && {
        return std::move(*this).template give_both<T>(&where, {}, std::forward<Begin>(begin),
                                                      std::forward<Next>(next));
    }
    /// The same with options.
    template <class T, class Begin, class Next>
    auto hold(const when_options& how, Begin&& begin, Next&& next) && {
        return std::move(*this).template give_both<T>(nullptr, how, std::forward<Begin>(begin),
                                                      std::forward<Next>(next));
    }
    /// The same on that pool, with options.
    template <class T, class Begin, class Next>
    auto hold(pool& where, const when_options& how, Begin&& begin, Next&& next) && {
        return std::move(*this).template give_both<T>(&where, how, std::forward<Begin>(begin),
                                                      std::forward<Next>(next));
    }

private:
    template <class Body>
    auto give(pool* where, const when_options& how, Body&& body) && {
        constexpr const char* call = "weft::when";
        auto run = [body = std::decay_t<Body>(std::forward<Body>(body)),
                    data = needs_.data()]() mutable -> decltype(auto) {
            return Needs::call(body, data);
        };
        using task = detail::sequenced_call<decltype(run)>;
        return enter<task, detail::result_of<decltype(run)>>(where, how, call, std::move(run));
    }
    template <class T, class Begin, class Next>
    auto give_both(pool* where, const when_options& how, Begin&& begin, Next&& next) && {
        constexpr const char* call = "weft::when";
        auto start = [begin = std::decay_t<Begin>(std::forward<Begin>(begin)),
                      data = needs_.data()](completion<T> done) mutable {
            static_cast<void>(Needs::call(begin, data, std::move(done)));
        };
        auto go_on = [next = std::decay_t<Next>(std::forward<Next>(next)),
                      data = needs_.data()](future<T> done) mutable -> decltype(auto) {
            return Needs::call(next, data, std::move(done));
        };
        using task = detail::holding_task<T, decltype(start), decltype(go_on)>;
        return enter<task, typename task::result>(where, how, call, std::move(start),
                                                  std::move(go_on));
    }
    template <class Task, class Result, class... Parts>
    future<Result> enter(pool* where, const when_options& how, const char* call, Parts&&... parts) {
        detail::pool_front& home = detail::pool_for(where, call);
        detail::lane& own = detail::own_lane();
        const std::span<const detail::claim> claims = needs_.claims(call);
        Task& made =
            Task::make(detail::task_home{home}, claims, how, std::forward<Parts>(parts)...);
        future<Result> result{made};
        made.enter(own);
        return result;
    }

    Needs needs_;
};

/// What a task needs: resources, `read(…)` and `write(…)` of them, limits and `take(…)`, keys.
template <class... Wanted>
[[nodiscard]] auto when(Wanted&&... wanted) {
    return request{detail::few{detail::access_of::of(wanted)...}};
}

/// The same for a set that is known only when the program runs: a range of such things, or of pointers to
/// resources, all of one type. The task is called with a `std::span` of pointers to their data, in the
/// order of the range; without arguments for limits and keys.
template <class Range>
[[nodiscard]] auto when_all(Range&& wanted) {
    return request{detail::many{wanted}};
}

/// Returns when all that this thread has submitted so far has taken its places. `submit` may return a moment
/// earlier, if it met another submission under way: what the same thread submits later is behind it all the
/// same. To be called before another thread is told that it may submit something that is to come later.
/// It waits for other threads inside `submit`, if at all, and never for a task. Not to be called by the destructor
/// of what a body has captured: that may run inside `submit`, which it would wait for.
WEFT_API void flush() noexcept;

} // namespace weft::inline v0
