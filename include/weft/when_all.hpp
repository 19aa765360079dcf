// Futures that become ready with all of several futures, or with the first of them.
#pragma once

#include <weft/detail/fork_join/predecessors.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::inline v0 {

/// The result of `when_any`: all the futures, and the index of the one that was ready first.
template <class Futures>
struct when_any_result {
    std::size_t index; ///< of the future that was ready first
    Futures futures;   ///< all of them, in the order of the arguments
};

namespace detail {

/// Returns a future of `finish(futures, predecessors)`, which runs when all of `tasks`, or the
/// first of them, have completed, as `mode` says. There is at least one task; `futures` own the
/// tasks.
template <class Futures, class Tasks, class Finish>
auto follow(Futures futures, const Tasks& tasks, predecessors::mode mode, Finish finish) {
    predecessors& before = predecessors::make(tasks.size(), mode);
    struct guard {
        predecessors* unused;
        std::size_t count;
        ~guard() {
            for (; unused != nullptr && count > 0; --count) unused->release();
        }
    } undo{&before, tasks.size()};
    auto run = [futures = std::move(futures), hold = predecessors_hold{before},
                finish]() mutable -> decltype(auto) { return finish(std::move(futures), *hold); };
    using body = decltype(run);
    auto* successor = callable_task<body>::make(tasks[0]->home(), completion_word::made_dormant{},
                                                {}, std::move(run));
    undo.unused = nullptr;
    future<result_of<body>> result{*successor};
    for (std::size_t i = 0; i < tasks.size(); ++i) before.watch(i, *tasks[i]);
    before.start(*successor);
    return result;
}

struct take_all {
    template <class Futures>
    Futures operator()(Futures&& futures, const predecessors& /*before*/) const {
        return std::forward<Futures>(futures);
    }
};
struct take_with_index {
    template <class Futures>
    when_any_result<Futures> operator()(Futures&& futures, const predecessors& before) const {
        return {before.first(), std::forward<Futures>(futures)};
    }
};

template <class T>
std::vector<joinable_task*> tasks_of(const std::vector<future<T>>& futures, const char* call) {
    std::vector<joinable_task*> tasks;
    tasks.reserve(futures.size());
    for (const future<T>& each : futures) tasks.push_back(&future_access::task(each, call));
    return tasks;
}
template <class... T>
std::array<joinable_task*, sizeof...(T)> tasks_of(const char* call, const future<T>&... futures) {
    return {&future_access::task(futures, call)...};
}

} // namespace detail

/// Returns a future that is ready when all of these are. Its result is these futures, in a tuple in
/// the order of the arguments: each is ready, and has a result or an exception. No thread waits
/// meanwhile. Futures of different pools may be mixed; the new future belongs to the pool of the
/// first, and has `errc::not_run` if that pool no longer accepts it by then.
///
/// Throws `errc::invalid_argument` if one has no task; then all futures are unchanged. If
/// std::bad_alloc is thrown, they are dropped. A worker must not wait for the new future, as with
/// `then`.
template <class First, class... T>
[[nodiscard]] future<std::tuple<future<First>, future<T>...>> when_all(future<First>&& first,
                                                                       future<T>&&... more) {
    const auto tasks = detail::tasks_of("weft::when_all", first, more...);
    return detail::follow(std::tuple{std::move(first), std::move(more)...}, tasks,
                          detail::predecessors::mode::all, detail::take_all{});
}

/// The same for any number of futures of one type. If there are none, the new future has an empty
/// vector and belongs to the calling worker's pool; on other threads `errc::outside_pool` is
/// thrown.
template <class T>
[[nodiscard]] future<std::vector<future<T>>> when_all(std::vector<future<T>>&& futures) {
    constexpr const char* call = "weft::when_all";
    if (futures.empty()) {
        pool* home = pool::current();
        if (home == nullptr) throw error{errc::outside_pool, call};
        return home->submit([] { return std::vector<future<T>>{}; });
    }
    const auto tasks = detail::tasks_of(futures, call);
    return detail::follow(std::move(futures), tasks, detail::predecessors::mode::all,
                          detail::take_all{});
}

/// Returns a future that is ready when the first of these is. Its result is all of them, with the
/// index of the first; the others may be ready or not. Otherwise as `when_all`. Each call keeps
/// some memory until the last of its futures is ready: so it adds up in a loop that gives the same
/// future to `when_any` again and again while that is not ready.
template <class First, class... T>
[[nodiscard]] auto when_any(future<First>&& first, future<T>&&... more)
    -> future<when_any_result<std::tuple<future<First>, future<T>...>>> {
    const auto tasks = detail::tasks_of("weft::when_any", first, more...);
    return detail::follow(std::tuple{std::move(first), std::move(more)...}, tasks,
                          detail::predecessors::mode::any, detail::take_with_index{});
}

/// The same for one or more futures of one type; throws `errc::invalid_argument` if there are none.
template <class T>
[[nodiscard]] auto when_any(std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
    constexpr const char* call = "weft::when_any";
    if (futures.empty()) throw error{errc::invalid_argument, call};
    const auto tasks = detail::tasks_of(futures, call);
    return detail::follow(std::move(futures), tasks, detail::predecessors::mode::any,
                          detail::take_with_index{});
}

} // namespace weft::inline v0
