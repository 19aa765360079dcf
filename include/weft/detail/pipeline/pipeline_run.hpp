// One run of a pipeline.
#pragma once

#include <weft/api.hpp>
#include <weft/completion.hpp>
#include <weft/detail/pipeline/pipeline_turns.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// A callable of a pipeline, and whether it runs in order.
template <class Call, bool Ordered>
struct pipeline_part {
    static constexpr bool ordered = Ordered;
    Call call;
};

/// The types of the items before each part, from what the source returns.
template <class In, class... Parts>
struct item_types {
    using list = std::tuple<std::vector<In>>;
};
template <class In, class Part, class... Rest>
struct item_types<In, Part, Rest...> {
    using next = std::invoke_result_t<decltype(Part::call)&, In&&>;
    static_assert(!std::is_void_v<next> || sizeof...(Rest) == 0,
                  "only the last part of a pipeline may return nothing");
    using stored = std::conditional_t<std::is_void_v<next>, char, std::decay_t<next>>;
    using list =
        decltype(std::tuple_cat(std::declval<std::tuple<std::vector<In>>>(),
                                std::declval<typename item_types<stored, Rest...>::list>()));
};

/// How many items a line takes, by how long they take.
class pipeline_pace {
public:
    /// The lines together never have more than `capacity` items.
    pipeline_pace(std::size_t capacity, std::size_t lines) noexcept
        : capacity_{capacity}, part_{capacity / lines} {}

    /// Whether the next items should be handled by one worker alone: together they take less time
    /// than another worker needs to come.
    [[nodiscard]] bool is_quick() const noexcept {
        return part_ == capacity_ || (each_ != 0 && each_ * 2 < worth_sharing);
    }
    /// For a line that is alone.
    [[nodiscard]] std::size_t alone() const noexcept {
        if (each_ == 0) return 1; // nothing is known yet
        const std::uint64_t in_time = worth_sharing / each_;
        return std::clamp<std::size_t>(in_time, 1, std::min(capacity_, most_alone));
    }
    /// For one of several.
    [[nodiscard]] std::size_t together() const noexcept {
        if (each_ == 0) return 1;
        return std::clamp<std::size_t>(batch_ticks / each_, 1, part_);
    }
    void note(std::uint64_t ticks, std::size_t items) noexcept {
        const std::uint64_t each = ticks / items + 1;
        each_ = each_ == 0 ? each : (each_ * 3 + each) / 4;
    }

private:
    static constexpr std::uint64_t worth_sharing = 4 * sync::tick_counter::in_microsecond;
    static constexpr std::uint64_t batch_ticks = 10 * sync::tick_counter::in_microsecond;
    static constexpr std::size_t most_alone = 64;

    std::size_t capacity_;
    std::size_t part_;
    std::uint64_t each_ = 0;
};

/// Carries items through the parts, some at a time: a *line* takes items from the source, and one
/// worker brings them through part after part, without a queue in between. Lines take turns at the
/// source and at each ordered part (pipeline_turns); a line that comes before its turn is left
/// there, and the worker goes away.
///
/// Invariants
///  PL1  At most `capacity` items are in the lines: a line takes its part of the capacity; or all
///  of
///       it if no other line has items, and then it keeps its turn at the source until they have
///       ended.
///  PL2  Items pass each ordered part in the order of the source: lines take turns in the same
///  order
///       everywhere, and a line passes them in its own order.
///  PL3  When the source has ended, each line ends when it has its turn there; the last one to end
///       completes the run. So no item is in a line then.
///  PL4  After an exception no part is called any more, and the lines end as if the source had.
template <class Source, class... Parts>
class pipeline_run {
    using first = typename std::invoke_result_t<Source&>::value_type;
    static constexpr std::size_t count = sizeof...(Parts);

    struct line : task {
        pipeline_run* owner = nullptr;
        std::size_t index = 0;
        std::size_t part = 0;  // where it goes on: 0 is the source
        bool has_turn = false; // it was taken along
        bool keeps_source = false;
        std::size_t taken = 0;
        std::uint64_t ticks = 0; // that its items have taken so far
        typename item_types<first, Parts...>::list items;
    };

public:
    /// Begins a run, which frees itself. Throws `stopped` or std::bad_alloc.
    static future<std::size_t> begin(weft::pool& target, std::size_t capacity, const char* call,
                                     Source source, std::tuple<Parts...> parts) {
        auto made =
            std::make_unique<pipeline_run>(target, capacity, std::move(source), std::move(parts));
        future<std::size_t> result = made->done_.get_future();
        line& start = made->lines_[0];
        worker* caller = worker::current();
        pipeline_run* run = made.release();
        std::exception_ptr error;
        if (caller != nullptr && &caller->pool() == &target.front()) {
            try {
                caller->push(start);
            } catch (...) {
                error = std::current_exception();
            }
        } else if (!target.front().submit_from_outside(start)) {
            error = make_error(errc::stopped, call, nullptr);
        }
        if (error != nullptr) {
            run->done_.fail(std::move(error));
            delete run;
            result.get(); // throws it
        }
        return result;
    }

    pipeline_run(weft::pool& target, std::size_t capacity, Source&& source,
                 std::tuple<Parts...>&& parts)
        : source_(std::move(source)), parts_(std::move(parts)),
          lines_(lines_for(target.workers(), capacity)), left_{lines_.size()},
          pace_{capacity, lines_.size()}, done_{target} {
        turns_.reserve(count + 1);
        for (std::size_t i = 0; i <= count; ++i) turns_.emplace_back(lines_.size(), i == 0);
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            lines_[i].run = &run_task;
            lines_[i].owner = this;
            lines_[i].index = i;
        }
    }

private:
    static std::size_t lines_for(std::size_t workers, std::size_t capacity) noexcept {
        return workers == 1 ? 1 : std::min(capacity, 2 * workers);
    }

    static void run_task(task& self, worker& caller) noexcept {
        auto& start = static_cast<line&>(self);
        start.owner->run(&start, caller);
    }

    void run(line* now, worker& caller) noexcept {
        if (caller.pool().cancelling()) {
            note_failure(make_error(errc::not_run, "weft::pipeline", nullptr));
        }
        for (;;) {
            line* next = nullptr; // that this thread takes along
            switch (advance(*now, caller, next)) {
            case went::stopped:
                if (next == nullptr) return;
                now = next;
                break;
            case went::round:
                if (caller.may_pick_directly()) break;
                now->has_turn = true;
                if (try_queue(*now, caller)) return;
                break;
            case went::over: return;
            }
        }
    }
    static bool try_queue(line& later, worker& caller) noexcept {
        caller.keep(later);
        if (caller.has_siblings()) caller.pool().sleep.notify();
        return true;
    }

    enum class went : std::uint8_t { round, stopped, over };

    /// Takes the line as far as it goes: to a part where it has to wait, or once round to the
    /// source, where it has its turn.
    went advance(line& now, worker& caller, line*& next) noexcept {
        if (now.part == 0) {
            if (!now.has_turn && !turns_[0].arrive(now.index)) return went::stopped;
            now.has_turn = false;
            if (ended_) return end_line(now, next);
            take(now);
            if (!now.keeps_source) pass_and_queue(0, now, caller);
            now.part = 1;
        }
        if (!continue_at(now, caller, std::make_index_sequence<count>{})) return went::stopped;
        return end_round(now, next);
    }

    went end_round(line& now, line*& next) noexcept {
        std::apply([](auto&... each) { (each.clear(), ...); }, now.items);
        live_.fetch_sub(now.taken, sync::relaxed);
        const std::size_t taken = std::exchange(now.taken, 0);
        const std::uint64_t ticks = std::exchange(now.ticks, 0);
        now.part = 0;
        if (std::exchange(now.keeps_source, false)) {
            if (taken != 0) pace_.note(ticks, taken);
            if (lines_.size() == 1 || !turns_[0].pass(now.index)) {
                // It passes to itself, if it is the only one.
                if (lines_.size() == 1) {
                    now.has_turn = true;
                    return went::round;
                }
            } else {
                next = &lines_[turns_[0].after(now.index)];
                next->has_turn = true;
            }
        } else if (taken != 0) {
            measured_.store(ticks / taken, sync::relaxed);
        }
        const bool has_turn = turns_[0].arrive(now.index);
        if (!has_turn) return went::stopped;
        now.has_turn = true;
        return went::round;
    }

    /// With its turn at the source.
    went end_line(line& now, line*& next) noexcept {
        if (--left_ == 0) {
            finish();
            return went::over;
        }
        // Once it is passed on, the run may end.
        const std::size_t after = turns_[0].after(now.index);
        if (turns_[0].pass(now.index)) {
            next = &lines_[after];
            next->has_turn = true;
        }
        return went::stopped;
    }

    void finish() noexcept {
        completion<std::size_t> done = std::move(done_);
        const std::size_t total = total_;
        std::exception_ptr error = std::move(error_);
        delete this;
        if (error != nullptr) done.fail(std::move(error));
        else done.complete(total);
    }

    /// The turn at that part goes to the next line; if it waits there, it becomes a task.
    void pass_and_queue(std::size_t part, line& now, worker& caller) noexcept {
        if (!turns_[part].pass(now.index)) return;
        line& next = lines_[turns_[part].after(now.index)];
        next.has_turn = true;
        static_cast<void>(try_queue(next, caller));
    }

    /// With its turn at the source.
    void take(line& now) noexcept {
        if (const std::uint64_t seen = measured_.exchange(0, sync::relaxed)) pace_.note(seen, 1);
        now.keeps_source = pace_.is_quick() && live_.load(sync::relaxed) == 0;
        if (lines_.size() == 1) now.keeps_source = true;
        const std::size_t wanted = now.keeps_source ? pace_.alone() : pace_.together();
        const std::uint64_t start = sync::tick_counter::now();
        auto& items = std::get<0>(now.items);
        try {
            while (now.taken < wanted && !failed_.load(sync::relaxed)) {
                auto item = std::invoke(source_);
                if (!item) {
                    ended_ = true;
                    break;
                }
                items.push_back(std::move(*item));
                ++now.taken;
            }
        } catch (...) {
            note_failure(std::current_exception());
        }
        if (failed_.load(sync::relaxed)) ended_ = true;
        total_ += now.taken;
        live_.fetch_add(now.taken, sync::relaxed);
        now.ticks = sync::tick_counter::now() - start;
    }

    /// False if the line waits at a part.
    template <std::size_t... Part>
    bool continue_at(line& now, worker& caller, std::index_sequence<Part...>) noexcept {
        return (run_part<Part>(now, caller) && ...);
    }
    template <std::size_t Part>
    bool run_part(line& now, worker& caller) noexcept {
        constexpr bool ordered = std::tuple_element_t<Part, std::tuple<Parts...>>::ordered;
        if (now.part > Part + 1) return true; // it was there before
        if constexpr (ordered) {
            if (lines_.size() > 1 && !std::exchange(now.has_turn, false)) {
                now.part = Part + 1; // from the arrival on it may be another thread's
                if (!turns_[Part + 1].arrive(now.index)) return false;
            }
        }
        const std::uint64_t start = sync::tick_counter::now();
        if (!failed_.load(sync::relaxed)) call_part<Part>(now);
        now.ticks += sync::tick_counter::now() - start;
        if constexpr (ordered) {
            if (lines_.size() > 1) pass_and_queue(Part + 1, now, caller);
        }
        now.part = Part + 2;
        return true;
    }
    template <std::size_t Part>
    void call_part(line& now) noexcept {
        auto& call = std::get<Part>(parts_).call;
        auto& items = std::get<Part>(now.items);
        using item = typename std::remove_reference_t<decltype(items)>::value_type;
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<decltype(call), item&&>>) {
                for (item& each : items) std::invoke(call, std::move(each));
            } else {
                auto& results = std::get<Part + 1>(now.items);
                for (item& each : items) results.push_back(std::invoke(call, std::move(each)));
            }
            items.clear();
        } catch (...) {
            note_failure(std::current_exception());
        }
    }

    void note_failure(std::exception_ptr error) noexcept {
        if (!noted_.exchange(true, sync::relaxed)) {
            error_ = std::move(error);
            failed_.store(true, sync::relaxed); // the error is read by the last line that ends
        }
    }

    Source source_;
    std::tuple<Parts...> parts_;
    std::vector<line> lines_;
    std::vector<pipeline_turns> turns_;             // of the source, and of each part
    alignas(64) sync::atomic<std::size_t> live_{0}; // items in the lines
    sync::atomic<std::uint64_t> measured_{0};       // ticks of an item, or 0
    sync::atomic<bool> noted_{false};
    sync::atomic<bool> failed_{false};
    std::exception_ptr error_;
    // Used by the line that has its turn at the source
    alignas(64) bool ended_ = false;
    std::size_t left_; // lines that have not ended
    std::size_t total_ = 0;
    pipeline_pace pace_;
    completion<std::size_t> done_;
};

} // namespace weft::inline v0::detail
