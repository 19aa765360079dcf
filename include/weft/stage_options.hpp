// Options of stages, and what can be read of them.
#pragma once

#include <weft/detail/sync/clock.hpp>
#include <weft/priority.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace weft::inline v0 {

/// Why an item of a stage was dropped.
enum class drop_reason : std::uint8_t {
    newest,    ///< the queue was full, and the item was pushed with `when_full::drop_newest`
    oldest,    ///< it was the oldest when an item was pushed with `when_full::drop_oldest`
    late,      ///< its deadline had passed when it was to begin
    cancelled, ///< its push waited for room, and was cancelled
    stopped,   ///< the stage was stopped with `on_stop::cancel`, or its pool was stopped
};

/// What a push does if the queue is full.
enum class when_full : std::uint8_t {
    wait,        ///< inside a handler: its run waits for room before its next item
    fail,        ///< throws `errc::full`
    drop_newest, ///< the item that is pushed is dropped
    drop_oldest, ///< the oldest of the items with the lowest priority in the queue is dropped
};

/// In which order a stage handles its items.
enum class stage_order : std::uint8_t {
    any,       ///< they begin in the order in which they were pushed; several may run at once
    submitted, ///< one after the other, in the order in which they were pushed
};

/// Options of a stage.
template <class In>
struct stage_options {
    /// A name for statistics and errors.
    std::string name = "stage";
    /// The number of items that may wait, from 1 to 2^30.
    std::size_t capacity = 1'024;
    /// The maximum number of workers that run the stage at the same time, from 1 to 65,535. No
    /// worker is reserved for it.
    std::size_t workers = 1;
    /// While stages of a group always have items, workers give them time in proportion to their
    /// shares, from 1 to 1,000. A stage that cannot use its part leaves it to the others.
    std::size_t share = 1;
    /// The maximum number of items that a handler of `std::span<In>` is called with, from 1 to
    /// 2^20. It is called with what is there: it never waits for more.
    std::size_t batch = 1;
    /// With `submitted`, `workers` is 1, and priorities are ignored.
    stage_order order = stage_order::any;
    /// If given: items with the same key are handled one after the other, in the order in which
    /// they were pushed; so are a few others, whose keys happen to share one of 128 places.
    std::function<std::size_t(const In&)> key = nullptr;
    /// If not 0: the stage lowers the number of items that may wait as far as is needed for 99 of
    /// 100 items to begin within this time, and raises it again up to `capacity`. Pushes beyond
    /// that find the queue full.
    std::chrono::nanoseconds target{0};
    /// How often an item whose handler has thrown is handled again: later, behind what is queued;
    /// or at once, if the stage has an order or keys, or its items need resources or end with a
    /// future; it may then come to its resources behind later ones. The handler is given the same
    /// object, so it should not move from it.
    unsigned retries = 0;
    /// Receives each item that has finally failed, with the exception. Without it, exceptions go to
    /// the pool's `on_error`. Called on a worker; it may push the item into another stage. Items
    /// that fail since their pool was stopped are counted only.
    std::function<void(In& item, std::exception_ptr error)> on_error = nullptr;
    /// Receives each item that is dropped, on the thread that drops it: a worker, or one that calls
    /// the stage. It should push elsewhere only with a `when_full` other than `wait`: on a worker a
    /// push into a full stage fails (`errc::full`), since no run can wait after a dropped item.
    std::function<void(In& item, drop_reason reason)> on_drop = nullptr;
};

/// Options of a push.
struct push_options {
    /// Items of a higher priority are taken first. While items of all three always wait, they get
    /// 16, 4 and 1 of 21 turns.
    weft::priority priority = weft::priority::normal;
    /// If the item has not begun by then, it is dropped (`drop_reason::late`) when its turn comes.
    sync::clock::time_point deadline = sync::clock::time_point::max();
};

/// How long something took: of all items since the stage was made. The quantiles are exact to an
/// eighth.
struct stage_latency {
    std::chrono::nanoseconds p50{0};     ///< half of the items took at most this
    std::chrono::nanoseconds p99{0};     ///< 99 of 100 items took at most this
    std::chrono::nanoseconds longest{0}; ///< all items took at most this
};

/// What a stage has done. It may be read at any time, and always adds up:
/// `entered == done + failed + dropped + running + queued`.
struct stage_statistics {
    std::string name;          ///< as in the options
    std::uint64_t entered = 0; ///< items that were pushed
    std::uint64_t done = 0;    ///< items that were handled
    std::uint64_t failed = 0;  ///< items that have finally failed
    std::uint64_t dropped = 0; ///< items that were dropped, for whatever reason
    std::uint64_t running = 0; ///< items that have begun and not ended; at most the runs
    std::uint64_t queued = 0;  ///< items that have not begun
    std::uint64_t refused = 0; ///< pushes that have failed because the queue was full; not entered
    std::size_t capacity = 0;  ///< the number of items that may wait
    std::size_t limit = 0;     ///< the same as lowered to keep the target
    std::size_t workers = 0;   ///< the maximum number of workers
    std::size_t share = 0;     ///< the share
    stage_latency wait;        ///< from the push of an item to its beginning
    stage_latency service;     ///< from its beginning to the return of the handler or its future
};

} // namespace weft::inline v0
