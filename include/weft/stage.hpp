// Stages: queues of items with a handler, over one pool.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/stage/push_operation.hpp>
#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/stage/stage_handler.hpp>
#include <weft/detail/stage/stage_item.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>
#include <weft/stage_options.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

/// The stages of a program, or of a part of it: they share the pool by their shares, and are waited
/// for and stopped together. The pool must outlive the group, the group its stages. Any thread may
/// call any member concurrently, except the destructor.
class WEFT_API stage_group {
public:
    /// Throws `errc::full` if the pool already serves 64 groups and other work sources, or
    /// std::bad_alloc.
    explicit stage_group(pool& host);
    /// There must be no stages any more.
    ~stage_group();
    stage_group(const stage_group&) = delete;
    stage_group& operator=(const stage_group&) = delete;

    /// Returns when no item is in any stage. On a worker of the pool it throws
    /// `errc::would_deadlock`; throws `errc::stopped` if the pool was stopped while there were
    /// items.
    void wait();
    /// The stages accept no more items from outside of handlers. `drain`: returns when all items
    /// that are in the stages, and those that their handlers push, have ended. `cancel`: the queued
    /// items are dropped (`drop_reason::stopped`), and so is what running handlers push. Otherwise
    /// as `wait`.
    void stop(on_stop mode = on_stop::drain);
    /// What all stages have done so far.
    [[nodiscard]] std::vector<stage_statistics> statistics() const;

    /// For weft's own use.
    [[nodiscard]] detail::stage_group_core& core() const noexcept { return *core_; }

private:
    std::unique_ptr<detail::stage_group_core> core_;
};

/// A queue of items, and a handler that workers of the group's pool call for them. A stage has no
/// thread of its own: when items are queued, workers run it, at most `stage_options::workers` of
/// them at a time. It cannot be moved, since handlers of other stages refer to it.
///
/// A handler sends items on by `push` of another stage. If that is full, what happens is the
/// pushing side's choice: `when_full`. With `when_full::wait` the handler continues, but its run
/// begins no further item before there is room: no thread waits, and the stages before it become
/// full in turn, up to where the items come from.
///
/// Stages must be destroyed after those that push into them: declare the last stage first.
template <class In>
class stage {
public:
    using value_type = In; ///< the type of the items

    /// `handler` is called with each item: as `In&`, `const In&`, `In&&` or `In`; or with a
    /// `std::span<In>` of up to `stage_options::batch` items. If it returns a `future`, the item
    /// has ended when the future is ready; until then it counts as running. Items that are handled
    /// as a span must be movable without exceptions. Other results are
    /// ignored. What it throws goes to `stage_options::on_error`.
    ///
    /// Throws `errc::invalid_argument` for options outside their ranges, `errc::full` if there are
    /// too many stages, and std::bad_alloc.
    template <class Handler>
        requires detail::stage_callable<std::decay_t<Handler>, In>
    stage(stage_group& group, stage_options<In> options, Handler&& handler)
        : stage{group, std::move(options),
                [&](detail::stage_program_options<In>&& kept) {
                    return std::make_unique<detail::stage_handler<In, std::decay_t<Handler>>>(
                        std::move(kept), std::forward<Handler>(handler));
                },
                detail::handler_traits<std::decay_t<Handler>, In>::settings} {}

    /// A stage whose items need resources: `needs(item)` returns what `when(…)` returns, and
    /// `handler(item, data...)` is called when all of them have admitted the item, as the body of
    /// `when(…).submit` is. At most `stage_options::workers` items wait for resources or run.
    template <class Needs, class Handler>
        requires detail::stage_needs<std::decay_t<Needs>, In>
    stage(stage_group& group, stage_options<In> options, Needs&& needs, Handler&& handler)
        : stage{group, std::move(options),
                [&](detail::stage_program_options<In>&& kept) {
                    using program =
                        detail::stage_with_needs<In, std::decay_t<Needs>, std::decay_t<Handler>>;
                    return std::make_unique<program>(std::move(kept), std::forward<Needs>(needs),
                                                     std::forward<Handler>(handler));
                },
                detail::handler_settings{.pending = true, .ordered_dispatch = true}} {}

    /// Accepts no more items from outside of handlers, and returns when all of its items have
    /// ended; those of a stopped pool are dropped. On a worker of the pool it ends the program.
    ~stage() { detail::end_stage(*core_); }
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    // Pushing. All of these throw `errc::stopped` once the stage or the pool was stopped,
    // std::bad_alloc, and what copying or moving the item throws; nothing was pushed then. A push
    // that waits when the pool is stopped ends with `errc::stopped`; its item is in the queue, and
    // is dropped with what else is there.

    /// Pushes the item, and returns whether it will be handled. If the queue is full, `full` says
    /// what happens. `when_full::wait` is for handlers: their run waits, without a thread. It
    /// throws `errc::would_deadlock` if it would wait for ever, because stages wait for each other
    /// in a circle, which the message names. Outside of handlers there is no run that could wait:
    /// then it throws `errc::full`; use `push_or_wait`, `push_later` or `push_when_room` there.
    bool push(In item, const push_options& options = {}) {
        return push_as(std::move(item), when_full::wait, options);
    }
    /// The same with another choice.
    bool push(In item, when_full full, const push_options& options = {}) {
        return push_as(std::move(item), full, options);
    }
    /// Pushes the item if there is room; if it returns false, `item` is unchanged.
    template <class Item>
        requires std::constructible_from<In, Item&&>
    bool try_push(Item&& item, const push_options& options = {}) {
        core_->require_open("weft::stage::try_push");
        if (push_into_room(std::forward<Item>(item), options)) return true;
        core_->count_refused();
        return false;
    }
    /// The future is ready when there is room for the item and it is in the queue. The item keeps
    /// its place in the order from now on.
    [[nodiscard]] future<void> push_later(In item, const push_options& options = {}) {
        constexpr const char* call = "weft::stage::push_later";
        core_->require_open(call);
        detail::item_guard<In> made{make(options, std::move(item))};
        future<void> ready = detail::push_later(*core_, *made);
        made.release();
        return ready;
    }
    /// For threads outside the pool: returns when there was room for the item. On a worker it
    /// throws `errc::would_deadlock` if the queue is full.
    void push_or_wait(In item, const push_options& options = {}) {
        constexpr const char* call = "weft::stage::push_or_wait";
        if (!detail::is_on_worker(*core_)) return push_later(std::move(item), options).get();
        core_->require_open(call);
        if (!push_into_room(std::move(item), options)) throw error{errc::would_deadlock, call};
    }
    /// The same as an operation (`weft/detail/pool/operation.hpp`), for whoever can wait for one:
    /// it begins when it is started, and can be cancelled while there is no room.
    [[nodiscard]] detail::push_operation<In> push_when_room(In item,
                                                            const push_options& options = {}) {
        core_->require_open("weft::stage::push_when_room");
        return detail::push_operation<In>{*core_, make(options, std::move(item))};
    }

    // Settings. Any thread may change them at any time.

    /// The number of items that may wait, from 1 to 2^30.
    void set_capacity(std::size_t capacity) { detail::set_capacity(*core_, capacity); }
    /// The maximum number of workers, from 1 to 65,535. What runs already is not interrupted.
    void set_workers(std::size_t workers) { detail::set_workers(*core_, workers); }
    /// The share, from 1 to 1,000.
    void set_share(std::size_t share) { detail::set_share(*core_, share); }
    /// Begins no further items until `resume`. Items are still accepted. A worker that is about to
    /// call the handler at this moment still does, with one item or batch.
    void pause() noexcept { core_->pause(true); }
    /// Goes on after `pause`.
    void resume() noexcept { core_->pause(false); }

    /// The number of items that have not begun.
    [[nodiscard]] std::size_t size() const { return statistics().queued; }
    /// What the stage has done so far.
    [[nodiscard]] stage_statistics statistics() const { return detail::statistics_of(*core_); }

private:
    template <class Make>
    stage(stage_group& group, stage_options<In>&& options, Make make_program,
          const detail::handler_settings& handler)
        : key_{std::move(options.key)} {
        detail::stage_settings settings = detail::checked_settings(
            detail::plain_options{options.name, options.capacity, options.workers, options.share,
                                  options.batch, options.order, options.target},
            handler);
        settings.keyed = key_ != nullptr;
        program_ = make_program(detail::stage_program_options<In>{
            std::move(options.on_error), std::move(options.on_drop), options.retries,
            settings.batch, settings.keyed || settings.order == stage_order::submitted});
        core_ = &detail::open_stage(group, std::move(settings), *program_);
    }

    template <class Item>
    [[nodiscard]] detail::stage_item<In>& make(const push_options& options, Item&& item) {
        return detail::stage_item<In>::make(*core_, options, key_, std::forward<Item>(item));
    }

    template <class Item>
    [[nodiscard]] bool push_into_room(Item&& item, const push_options& options) {
        if (!core_->try_take_room()) return false;
        detail::reserved_room room{*core_};
        detail::stage_item<In>& made = make(options, std::forward<Item>(item));
        room.use();
        core_->enter(made);
        return true;
    }

    bool push_as(In&& item, when_full full, const push_options& options) {
        constexpr const char* call = "weft::stage::push";
        core_->require_open(call);
        detail::item_guard<In> made{make(options, std::move(item))};
        return core_->push(made, full, call);
    }

    std::function<std::size_t(const In&)> key_;
    std::unique_ptr<detail::stage_program> program_;
    detail::stage_core* core_ = nullptr;
};

} // namespace weft::inline v0
