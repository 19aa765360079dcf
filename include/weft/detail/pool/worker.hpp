// One thread of a pool, its queues, and what it does while it waits.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/bell.hpp>
#include <weft/detail/lockfree/split_deque.hpp>
#include <weft/detail/lockfree/task_deque.hpp>
#include <weft/detail/pool/block_cache.hpp>
#include <weft/detail/pool/counters.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/detail/sync/thread_local_value.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <stop_token>
#include <vector>

namespace weft::inline v0 {

class work_source;

namespace detail {

class pool_core;

/// Names the word that tells a thread which worker it is. A user's code reads it too, so that a shared library must
/// show it; a name of its own is shown without the worker.
struct WEFT_API current_worker;

/// A worker's members are grouped by who writes them. Only its own thread calls what is not marked
/// otherwise.
///
/// Rules of waiting: a worker that waits for a task runs nothing but that task itself or scoped
/// descendants of it (`help`). So its stack is a chain of true dependencies, and waiting can go
/// wrong only if these form a cycle.
class worker {
public:
    worker(pool_core& pool, std::size_t index, bool thieves, scoped_slot* slots);

    /// The worker that the calling thread is, or null.
    [[gnu::always_inline]] static worker* current() noexcept {
        return static_cast<worker*>(slot::get());
    }

    [[nodiscard]] pool_front& pool() const noexcept { return *pool_; }
    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    /// Whether its pool has other threads.
    [[nodiscard]] bool has_siblings() const noexcept { return tasks.has_thieves(); }

    // Scoped children: fork_join.hpp has the fast path.
    split_deque<scoped_slot> scoped;

    /// Below this, or when somebody is hungry, a fork has more to do than to push: one comparison
    /// with the stack's position says both.
    [[nodiscard, gnu::always_inline]] bool is_alarmed() const noexcept {
        return sync::stack_position() < alarm_.load(sync::relaxed);
    }
    /// What there is to do then, after the push: shares, or takes the push back and throws
    /// `stack_exhausted`.
    WEFT_API void answer_alarm(scoped_slot* pushed);
    /// By others: asks this worker to share.
    void be_asked_to_share() noexcept {
        if (alarm_.load(sync::relaxed) != everywhere) alarm_.store(everywhere, sync::relaxed);
    }

    /// After something was shared: tells who may want it.
    WEFT_API void tell_shared() noexcept;
    /// Who waits for what this worker runs, and could help with it.
    bell<worker> share_bell;

    /// Waits until a stolen child of this worker is done.
    WEFT_API void wait_for_stolen(scoped_slot& child) noexcept;
    /// Runs a child that was stolen from `victim`.
    WEFT_API void run_stolen(scoped_slot& child, worker& victim) noexcept;

    // Tasks.
    task_deque<task> tasks;
    void push(task& ready) {
        tasks.owner_push(&ready);
        if (has_siblings()) pool_->sleep.notify();
    }
    /// The same without failing and without calling anybody.
    WEFT_API void keep(task& later, band where = band::normal) noexcept;
    /// Tasks that go before all others, and those that go after.
    task_deque<task> urgent;
    task_deque<task> unhurried;
    [[nodiscard]] task_deque<task>& tasks_of(band which) noexcept {
        return which == band::normal ? tasks : which == band::high ? urgent : unhurried;
    }
    /// Throws `stack_exhausted` if another task should not be run on top of this stack.
    void require_stack(const char* call, std::size_t beyond = 0) const {
        if (stack_is_low(beyond)) [[unlikely]]
            refuse_stack(call);
    }
    [[nodiscard]] bool stack_is_low(std::size_t beyond = 0) const noexcept {
        return sync::stack_position() < stack_limit_ + beyond;
    }

    /// Shares all there is and calls somebody, before this worker blocks.
    WEFT_API void publish() noexcept;
    /// Runs a scoped descendant of what `runner` has run since its deque stood at `base`, if there is
    /// one, and it runs that still (`holds`).
    template <class Holds>
    bool help(worker& runner, std::uint32_t base, Holds holds) noexcept {
        if (stack_is_low()) return false;
        scoped_slot* child = runner.scoped.steal_while(base, holds);
        if (child == nullptr) {
            runner.be_asked_to_share();
            return false;
        }
        counts.helps.count();
        run_stolen(*child, runner);
        return true;
    }

    /// Helps while there is something to help with, and looks some times more: true if `done`.
    template <class Done, class TryHelp>
    bool help_until(Done done, TryHelp try_help) {
        for (unsigned round = 0; round < constants::help_rounds; ++round) {
            if (done()) return true;
            if (try_help()) round = 0;
            else sync::pause();
        }
        return false;
    }

    /// While it lives, a task that may be stopped runs here, on top of what ran before.
    class running {
    public:
        WEFT_API running(worker& here, const std::stop_token* stop) noexcept;
        ~running() { here_->top_ = below_; }
        running(const running&) = delete;
        running& operator=(const running&) = delete;

    private:
        friend class worker;
        const std::stop_token* stop_; // or null
        const scoped_slot* base_;     // its children are from here on
        const running* below_;
        worker* here_;
    };
    /// Of what runs now.
    [[nodiscard]] bool stop_requested() const noexcept {
        return top_ != nullptr && top_->stop_ != nullptr && top_->stop_->stop_requested();
    }
    /// Whether a task that this token may stop runs here, at the top of the stack or below.
    [[nodiscard]] WEFT_API bool runs_task_of(const std::stop_token& stop) const noexcept;

    /// For waits in joins, which all look again when they wake: a token may be left over. Idle sleep
    /// has a parker of its own.
    sync::parker join_parker;
    sync::parker bench_parker;
    /// How many calls of `blocking` it is in.
    unsigned blocks_deep = 0;
    [[nodiscard]] bool is_inside(const work_source& source) const noexcept {
        return inside_ == &source;
    }
    block_cache blocks;
    large_block_cache large_blocks;
    worker_counters counts;
    /// What a join could not throw, since it threw another. Without memory it is lost.
    std::vector<std::exception_ptr> suppressed;
    WEFT_API void suppress_first(std::exception_ptr error) noexcept;

    /// The thread's life.
    void work();

private:
    using slot = sync::thread_local_value<current_worker, void*>;
    static constexpr std::uintptr_t everywhere = std::numeric_limits<std::uintptr_t>::max();
    static constexpr std::size_t stack_reserve = std::size_t{48} * 1024;

    /// Something found: a task, a child of a victim, or a source that has work.
    struct finding {
        task* next = nullptr;
        scoped_slot* child = nullptr;
        worker* victim = nullptr;
        bool source = false;
        explicit operator bool() const noexcept {
            return next != nullptr || child != nullptr || source;
        }
    };

    [[nodiscard]] pool_core& core() const noexcept;
    [[noreturn]] WEFT_API static void refuse_stack(const char* call);
    void begin_thread();
    void find_cpu() noexcept;
    void end_thread();
    void prepare_shared(scoped_slot& child) const noexcept;
    [[nodiscard]] finding find_own() noexcept;
    [[nodiscard]] finding find_oldest() noexcept;
    [[nodiscard]] finding find_near() noexcept;
    [[nodiscard]] finding find_next() noexcept;
    [[nodiscard]] finding find_in_inbox() noexcept;
    [[nodiscard]] finding find_banded(band which) noexcept;
    [[nodiscard]] finding find_in_sources() noexcept;
    [[nodiscard]] finding find_urgent_at(worker& victim) noexcept;
    [[nodiscard]] finding find_at(worker& victim) noexcept;
    [[nodiscard]] finding find_by_plan(unsigned round) noexcept;
    [[nodiscard]] finding carry_out_order() noexcept;
    void take_more_from(worker& victim, std::size_t wanted) noexcept;
    void set_hungry(bool now) noexcept;
    [[nodiscard]] finding search() noexcept;
    [[nodiscard]] finding search_or_sleep() noexcept;
    void run(const finding& found) noexcept;
    [[nodiscard]] std::size_t random_below(std::size_t count) noexcept;

    pool_front* const pool_;
    const std::size_t index_;
    std::uintptr_t stack_limit_ = 0;
    const running* top_ = nullptr; // what runs now
    std::uint64_t random_state_;
    unsigned picks_ = 0;
    std::size_t next_source_ = 0;
    const work_source* inside_ = nullptr;

    // Read by others now and then: the CPU that it was on when it woke, or none while it sleeps.
    static constexpr std::size_t no_cpu = std::numeric_limits<std::size_t>::max();
    sync::atomic<std::size_t> cpu_{no_cpu};

    // Written by thieves too.
    alignas(64) sync::atomic<std::uintptr_t> alarm_{everywhere};
};

} // namespace detail
} // namespace weft::inline v0
