// How items are given to the handlers of users.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/stage/stage_item.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/stage_options.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

class stage_group;

namespace detail {

/// What the handler's type decides.
struct handler_settings {
    bool batches = false;
    bool pending = false;
    bool ordered_dispatch = false;
};

/// What the program needs of the options.
template <class In>
struct stage_program_options {
    std::function<void(In&, std::exception_ptr)> on_error;
    std::function<void(In&, drop_reason)> on_drop;
    unsigned retries;
    std::uint32_t batch;
    bool retries_at_once;
};

/// The options that do not depend on the type of the items.
struct plain_options {
    const std::string& name;
    std::size_t capacity;
    std::size_t workers;
    std::size_t share;
    std::size_t batch;
    stage_order order;
    std::chrono::nanoseconds target;
};
[[nodiscard]] WEFT_API stage_settings checked_settings(const plain_options& options,
                                                       const handler_settings& handler);
[[nodiscard]] WEFT_API stage_core& open_stage(stage_group& group, stage_settings settings,
                                              stage_program& program);
WEFT_API void end_stage(stage_core& core) noexcept;
WEFT_API void set_capacity(stage_core& core, std::size_t capacity);
WEFT_API void set_workers(stage_core& core, std::size_t workers);
WEFT_API void set_share(stage_core& core, std::size_t share);
[[nodiscard]] WEFT_API stage_statistics statistics_of(const stage_core& core);
[[nodiscard]] WEFT_API weft::pool& pool_of(const stage_core& core) noexcept;
WEFT_API void report_error(const stage_core& core, std::exception_ptr error) noexcept;

template <class Handler, class In>
concept takes_span = std::invocable<Handler&, std::span<In>>;
template <class Handler, class In>
concept takes_value = std::invocable<Handler&, In&&>;
template <class Handler, class In>
concept stage_callable =
    takes_span<Handler, In> || takes_value<Handler, In> || std::invocable<Handler&, In&>;
template <class Needs, class In>
concept stage_needs =
    std::invocable<Needs&, In&> && !std::is_void_v<std::invoke_result_t<Needs&, In&>>;

template <class T>
struct is_future : std::false_type {};
template <class T>
struct is_future<future<T>> : std::true_type {};
template <class T>
struct future_value;
template <class T>
struct future_value<future<T>> {
    using type = T;
};

/// Calls the handler with an item: as an rvalue if it takes one.
template <class Handler, class In, class... Data>
decltype(auto) call_handler(Handler& handler, In& item, Data&... data) {
    if constexpr (std::invocable<Handler&, In&&, Data&...>) {
        return std::invoke(handler, std::move(item), data...);
    } else {
        return std::invoke(handler, item, data...);
    }
}

template <class Handler, class In>
struct handler_traits {
    static constexpr bool batches =
        takes_span<Handler, In> && !takes_value<Handler, In> && !std::invocable<Handler&, In&>;
    static constexpr bool pending = [] {
        if constexpr (batches) return false;
        else {
            return is_future<std::remove_cvref_t<decltype(call_handler(
                std::declval<Handler&>(), std::declval<In&>()))>>::value;
        }
    }();
    static constexpr handler_settings settings{batches, pending, false};
};

/// What all programs of items of this type share: how items end.
template <class In>
class typed_program : public stage_program {
public:
    explicit typed_program(stage_program_options<In>&& options) : options_{std::move(options)} {}

    void drop(stage_core& core, stage_node& node, drop_reason reason) noexcept override {
        auto& dropped = static_cast<stage_item<In>&>(node);
        if (options_.on_drop) {
            try {
                options_.on_drop(dropped.item, reason);
            } catch (...) {
                report_error(core, std::current_exception());
            }
        }
        dropped.end_item();
        core.release(node);
    }
    void free(stage_node& node) noexcept override {
        stage_item<In>::free(static_cast<stage_item<In>&>(node));
    }

    using item = stage_item<In>;

    /// The item has failed. True if it is to be tried again.
    [[nodiscard]] bool fail(stage_core& core, item& failed, std::exception_ptr error) noexcept {
        if (failed.attempts++ < options_.retries) return true;
        if (!options_.on_error) {
            report_error(core, std::move(error));
            return false;
        }
        try {
            options_.on_error(failed.item, std::move(error));
        } catch (...) {
            report_error(core, std::current_exception());
        }
        return false;
    }

protected:
    void end(stage_core& core, item& ended) noexcept {
        ended.end_item();
        core.release(ended);
    }

    const stage_program_options<In> options_;
};

/// While it lives, user code is called for an item that has not ended: a push into a full stage
/// keeps a place of the budget until there is room.
class pending_call {
public:
    explicit pending_call(stage_core& core) noexcept : place_{core}, bound_{place_} {}
    ~pending_call() { place_.owner.park_pending(place_); }
    pending_call(const pending_call&) = delete;
    pending_call& operator=(const pending_call&) = delete;

private:
    stage_run place_;
    stage_run_binding bound_;
};

/// An item that ends after the run that has begun it. Whoever destroys it without saying how it has
/// ended has lost it: it fails as `not_run`.
template <class In, class Program>
class pending_item {
public:
    pending_item(Program& program, stage_core& core, stage_item<In>& node) noexcept
        : program_{&program}, core_{&core}, node_{&node} {}
    pending_item(pending_item&& other) noexcept
        : program_{other.program_}, core_{other.core_}, node_{std::exchange(other.node_, nullptr)} {
    }
    pending_item& operator=(pending_item&&) = delete;
    ~pending_item() {
        if (node_ == nullptr) return;
        fail(make_error(errc::not_run, "weft::stage", nullptr));
    }
    [[nodiscard]] In& item() const noexcept { return node_->item; }
    [[nodiscard]] stage_core& core() const noexcept { return *core_; }
    [[nodiscard]] Program& program() const noexcept { return *program_; }
    void succeed() noexcept {
        stage_item<In>& ended = *std::exchange(node_, nullptr);
        ended.end_item();
        core_->end_pending(ended, false);
    }
    /// Does nothing if it has ended already, or is somebody else's.
    void fail(std::exception_ptr failure) noexcept {
        if (fails(std::move(failure))) program_->start(std::move(*this));
    }
    /// The same, but true if the caller has to start it again.
    [[nodiscard]] bool fails(std::exception_ptr failure) noexcept {
        if (node_ == nullptr) return false;
        if (!core_->is_lost()) {
            const pending_call calling{*core_};
            if (program_->fail(*core_, *node_, std::move(failure))) return true;
        }
        stage_item<In>& failed = *std::exchange(node_, nullptr);
        failed.end_item();
        core_->end_pending(failed, true);
        return false;
    }
    [[nodiscard]] bool is_retried() const noexcept { return node_->attempts != 0; }

private:
    Program* program_;
    stage_core* core_;
    stage_item<In>* node_;
};

/// Ends an item when a future is ready, in a task of the pool: so not on the thread of a callback,
/// and after the resources of a task have been released. It is made before what it waits for, so
/// that nothing can fail afterwards.
template <class Pending, class Result>
class item_end : completion_node, task {
public:
    explicit item_end(pool_front& home) noexcept : task{.run = &run_task}, home_{&home} {
        completion_node::notify = &when_ready;
    }
    /// Frees itself when the item has ended.
    static void wait(std::unique_ptr<item_end> made, Pending&& begun,
                     future<Result>&& result) noexcept {
        item_end& self = *made.release();
        self.begun_.emplace(std::move(begun));
        self.result_ = std::move(result);
        joinable_task& before = future_access::task(self.result_, "weft::stage");
        if (before.word.try_add(self)) return;
        // It is ready. A retry goes on in a task: a thousand of them shall not call each other.
        if (self.begun_->is_retried()) when_ready(self);
        else self.end();
    }

private:
    static void when_ready(completion_node& node) noexcept {
        auto& self = static_cast<item_end&>(node);
        worker* caller = worker::current();
        if (caller != nullptr && &caller->pool() == self.home_) {
            caller->keep(self);
            if (caller->has_siblings()) self.home_->sleep.notify();
        } else if (!self.home_->submit_from_outside(self)) {
            self.end(); // the pool has ended
        }
    }
    static void run_task(task& self, worker& /*caller*/) noexcept {
        static_cast<item_end&>(self).end();
    }
    void end() noexcept {
        const std::unique_ptr<item_end> last{this};
        std::exception_ptr error;
        try {
            static_cast<void>(result_.get());
        } catch (...) {
            error = std::current_exception();
        }
        if (error == nullptr) begun_->succeed();
        else begun_->fail(std::move(error));
    }

    pool_front* home_;
    std::optional<Pending> begun_;
    future<Result> result_;
};

/// A handler that returns when the item has ended.
template <class In, class Handler>
class plain_handler final : public typed_program<In> {
public:
    template <class Source>
    plain_handler(stage_program_options<In>&& options, Source&& handler)
        : typed_program<In>{std::move(options)}, handler_(std::forward<Source>(handler)) {}

    item_ends handle(stage_core& core, node_list& items) noexcept override {
        auto& node = static_cast<stage_item<In>&>(*items.pop_front());
        for (;;) {
            try {
                static_cast<void>(call_handler(handler_, node.item));
                this->end(core, node);
                return {.done = 1};
            } catch (...) {
                if (!this->fail(core, node, std::current_exception())) break;
            }
            if (this->options_.retries_at_once) continue;
            core.give_back(node);
            return {};
        }
        this->end(core, node);
        return {.failed = 1};
    }

private:
    Handler handler_;
};

/// A handler of several items at once: they succeed or fail together.
template <class In, class Handler>
class batch_handler final : public typed_program<In> {
    static_assert(std::is_nothrow_move_constructible_v<In>,
                  "items are moved together for the call, and back: moving must not throw");

public:
    template <class Source>
    batch_handler(stage_program_options<In>&& options, Source&& handler)
        : typed_program<In>{std::move(options)}, handler_(std::forward<Source>(handler)) {}

    item_ends handle(stage_core& core, node_list& items) noexcept override {
        const auto count = static_cast<std::uint32_t>(items.size());
        std::exception_ptr error;
        for (;;) {
            error = call(items);
            if (error == nullptr) break;
            // All have been tried as often as the first, or less often.
            if (!this->options_.retries_at_once || !again(items)) break;
        }
        if (error == nullptr) {
            while (stage_node* node = items.pop_front()) this->end(core, typed(*node));
            return {.done = count};
        }
        std::uint32_t failed = 0;
        while (stage_node* node = items.pop_front()) {
            if (!this->options_.retries_at_once && this->fail(core, typed(*node), error)) {
                core.give_back(*node);
                continue;
            }
            if (this->options_.retries_at_once) {
                typed(*node).attempts = this->options_.retries;
                static_cast<void>(this->fail(core, typed(*node), error));
            }
            this->end(core, typed(*node));
            ++failed;
        }
        return {.failed = failed};
    }

private:
    static stage_item<In>& typed(stage_node& node) noexcept {
        return static_cast<stage_item<In>&>(node);
    }
    /// The items are moved into one array for the call, and back.
    std::exception_ptr call(node_list& items) noexcept {
        try {
            std::vector<In> together;
            together.reserve(items.size());
            for (stage_node* each = items.front(); each != nullptr; each = each->next) {
                together.push_back(std::move(typed(*each).item));
            }
            std::exception_ptr error;
            try {
                static_cast<void>(std::invoke(handler_, std::span<In>{together}));
            } catch (...) {
                error = std::current_exception();
            }
            std::size_t i = 0;
            for (stage_node* each = items.front(); each != nullptr; each = each->next) {
                In& place = typed(*each).item;
                std::destroy_at(std::addressof(place));
                std::construct_at(std::addressof(place), std::move(together[i++]));
            }
            return error;
        } catch (...) {
            return std::current_exception();
        }
    }
    /// Whether all may be tried again at once.
    bool again(node_list& items) noexcept {
        bool all = true;
        for (stage_node* each = items.front(); each != nullptr; each = each->next) {
            all = typed(*each).attempts++ < this->options_.retries && all;
        }
        return all;
    }

    Handler handler_;
};

/// What handlers share whose items end later. `Derived::start` begins an item.
template <class In, class Derived>
class pending_program : public typed_program<In> {
public:
    using typed_program<In>::typed_program;
    using typed_program<In>::fail;
    using pending = pending_item<In, Derived>;

    item_ends handle(stage_core& core, node_list& items) noexcept override {
        auto& node = static_cast<stage_item<In>&>(*items.pop_front());
        auto& self = static_cast<Derived&>(*this);
        self.start(pending{self, core, node});
        return {.pending = 1};
    }
};

/// A handler that returns a future.
template <class In, class Handler>
class future_handler final : public pending_program<In, future_handler<In, Handler>> {
    using base = pending_program<In, future_handler>;

public:
    using pending = typename base::pending;
    template <class Source>
    future_handler(stage_program_options<In>&& options, Source&& handler)
        : base{std::move(options)}, handler_(std::forward<Source>(handler)) {}

    void start(pending begun) noexcept {
        using result = std::remove_cvref_t<decltype(call_handler(handler_, begun.item()))>;
        using end = item_end<pending, typename future_value<result>::type>;
        for (;;) {
            try {
                auto made = std::make_unique<end>(pool_of(begun.core()).front());
                auto ready = call(begun.core(), begun.item());
                if (!ready.valid()) throw error{errc::invalid_argument, "weft::stage: handler"};
                end::wait(std::move(made), std::move(begun), std::move(ready));
                return;
            } catch (...) {
                if (!begun.fails(std::current_exception())) return;
            }
        }
    }

private:
    auto call(stage_core& core, In& item) {
        const pending_call calling{core};
        return call_handler(handler_, item);
    }

    Handler handler_;
};

/// A handler whose items need resources.
template <class In, class Needs, class Handler>
class stage_with_needs final : public pending_program<In, stage_with_needs<In, Needs, Handler>> {
    using base = pending_program<In, stage_with_needs>;

public:
    using pending = typename base::pending;
    template <class NeedsSource, class Source>
    stage_with_needs(stage_program_options<In>&& options, NeedsSource&& needs, Source&& handler)
        : base{std::move(options)}, needs_(std::forward<NeedsSource>(needs)),
          handler_(std::forward<Source>(handler)) {}

    void start(pending begun) noexcept {
        using end = item_end<pending, void>;
        for (;;) {
            try {
                weft::pool& workers = pool_of(begun.core());
                auto made = std::make_unique<end>(workers.front());
                auto request = named_by(begun.core(), begun.item());
                auto body = [this, &core = begun.core(), &item = begun.item()](auto&&... data) {
                    run(core, item, data...);
                };
                auto ready = std::move(request).submit(workers, std::move(body));
                end::wait(std::move(made), std::move(begun), std::move(ready));
                return;
            } catch (...) {
                if (!begun.fails(std::current_exception())) return;
            }
        }
    }

private:
    auto named_by(stage_core& core, In& item) {
        const pending_call calling{core};
        return std::invoke(needs_, item);
    }
    template <class... Data>
    void run(stage_core& core, In& item, Data&... data) {
        const pending_call calling{core};
        static_cast<void>(call_handler(handler_, item, data...));
    }

    Needs needs_;
    Handler handler_;
};

template <class In, class Handler>
using stage_handler =
    std::conditional_t<handler_traits<Handler, In>::batches, batch_handler<In, Handler>,
                       std::conditional_t<handler_traits<Handler, In>::pending,
                                          future_handler<In, Handler>, plain_handler<In, Handler>>>;

} // namespace detail
} // namespace weft::inline v0
