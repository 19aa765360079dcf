// What a worker runs next.
//
// The order, which test/unit/pool/finder_test.cpp states:
//
//   0  at every 64th pick: timers that are due are fired, which queues tasks. Then what has waited
//      longest, of four kinds by turns: arrivals, sources, the oldest of its own tasks, tasks of
//      low priority. So nothing that is ready starves behind tasks that always submit another
//   1  tasks of high priority, the oldest first: own ones, behind them those that have arrived
//   2  the youngest of its own tasks
//   3  arrivals: tasks from outside the pool, the oldest first
//   4  work sources
//   5  what a plan has ordered this worker to steal, if the pool's policy plans
//   6  a random other worker: its tasks of high priority, its shared children, its tasks, its tasks
//      of low priority; then the same of a side stack of its thread
//   7  tasks of low priority, the oldest first, as in 1
//
// After a task a worker looks at 0 to 4. When it finds nothing there, it searches: 0 to 7 for 200
// rounds, and then it sleeps. A stand-in whose worker is back looks at its own tasks only,
// of each priority.
//
// The constants (<weft/detail/sync/model_constants.hpp> has their values in the model), measured on
// 2 CPUs of an AMD EPYC:
//
//   64 picks     between looks at the oldest: often enough that what is ready waits for 255 tasks
//                at most. From 16 to 256, chains of empty tasks and trees of tasks take the same
//                time within 1 % on one worker, and within the noise of 3 % on two (medians of 19
//                runs)
//   200 rounds   of a search before a worker sleeps: 7 us, and a task for a sleeping worker starts
//                after 13 to 24 us instead of 0.3 us. With 400 (15 us) also a gap of 10 us between
//                tasks is bridged, but a worker that is woken every 20 to 160 us then takes 35 to
//                50 % more CPU time, with 800 130 % more; with 100 even a gap of 5 us is slept
//                through (medians of 10 runs). On CPUs with a longer pause a round takes longer
//   16 rounds    between plans, which read the queue of every worker. From 4 to 64, all loads of
//                the benchmark of stealing take the same time on 2 and 8 workers: the medians of 11
//                ratios are 0.99 to 1.01
//   3 ahead      of the task that is taken another is fetched into the cache. With chains of task
//                memory: 32,768 tasks of one queue in 21.7 instead of 25.3 ms
#pragma once

#include "pool/pool_core.hpp"

#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/priority.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

class finder;

/// What was found. Two words, which are returned in registers, since every task passes through it.
class finding {
public:
    enum class work : std::uint8_t { nothing, task, child, source };

    finding() noexcept = default;
    /// Nothing, if there is no task.
    finding(task* next) noexcept
        : kind_{next == nullptr ? work::nothing : work::task}, object_{next} {}
    /// A child that `victim` has shared.
    finding(scoped_child& child, const worker& victim) noexcept
        : kind_{work::child}, victim_{static_cast<std::uint32_t>(victim.index())}, object_{&child} {
    }
    /// That a source has work.
    [[nodiscard]] static finding source() noexcept {
        finding found;
        found.kind_ = work::source;
        return found;
    }

    [[nodiscard]] work kind() const noexcept { return kind_; }
    explicit operator bool() const noexcept { return kind_ != work::nothing; }
    [[nodiscard]] task& next() const noexcept { return *static_cast<task*>(object_); }
    [[nodiscard]] scoped_child& child() const noexcept {
        return *static_cast<scoped_child*>(object_);
    }
    /// The index of the worker that has shared the child.
    [[nodiscard]] std::size_t victim() const noexcept { return victim_; }

private:
    work kind_ = work::nothing;
    std::uint32_t victim_ = 0;
    void* object_ = nullptr;
};

/// The places where work waits. Each has `has_work`, an estimate while other threads run, and
/// `take`, which may find nothing although `has_work` was true, and the reverse. `take` is reached
/// through `known` only.
namespace places {

template <class Place>
struct known;

/// Tasks of one priority that come from outside the pool. `take` moves all but the one to run into
/// the queue of the caller, where thieves find them.
template <priority Level>
struct arrivals {
    [[nodiscard]] static bool has_work(const pool_core& pool) noexcept {
        return !pool.arrivals[Level].empty();
    }

protected:
    [[nodiscard]] static finding take(finder& caller) noexcept;
};

/// The tasks of one priority in the queue of a worker.
template <priority Level>
struct queue {
    [[nodiscard]] static bool has_work(const worker& owner) noexcept {
        return owner.queues[Level].count() > 0;
    }

protected:
    /// Returns the oldest; from another worker's queue it also moves as many more into the caller's
    /// as the pool's policy says.
    [[nodiscard]] static finding take(finder& caller, worker& owner) noexcept;
    /// The oldest.
    [[nodiscard]] static task* take_one(worker& owner) noexcept {
        return owner.queues[Level].steal();
    }
    /// Called by the owner.
    [[nodiscard]] static finding take_youngest(worker& owner) noexcept;
};

/// The forked children that a worker has shared. If there are none, `take` asks it to share.
struct shared_children {
    [[nodiscard]] static bool has_work(const worker& owner) noexcept {
        return owner.scoped.shared_count() > 0;
    }

protected:
    [[nodiscard]] static finding take(finder& caller, worker& owner) noexcept;
};

/// The sources that are attached to the pool. Once the pool is stopped, they are not used.
struct sources {
    [[nodiscard]] static bool has_work(const pool_core& pool) noexcept;

protected:
    [[nodiscard]] static finding take(finder& caller) noexcept;
};

template <class... Places>
struct list {
    template <class Place>
    static constexpr bool holds = (std::same_as<Place, Places> || ...);

    template <class Whole>
    [[nodiscard]] static bool has_work(const Whole& whole) noexcept {
        return (Places::has_work(whole) || ...);
    }
    /// Takes from the first place that has something.
    template <class... Arguments>
    [[nodiscard]] static finding take(Arguments&... arguments) noexcept {
        finding found;
        static_cast<void>((static_cast<bool>(found = known<Places>::take(arguments...)) || ...));
        return found;
    }
};

/// The places of one worker, in the order in which thieves look.
using of_worker =
    list<queue<priority::high>, shared_children, queue<priority::normal>, queue<priority::low>>;

/// The worker of a side stack of this worker's thread that has work, or null.
[[nodiscard]] inline worker* find_side(const worker& host) noexcept {
    if (host.stacks == nullptr) return nullptr;
    return host.stacks->find_active([](const worker& side) { return of_worker::has_work(side); });
}

struct workers {
    [[nodiscard]] static bool has_work(const pool_core& pool) noexcept {
        return std::ranges::any_of(pool.workers, [](const auto& each) {
            return of_worker::has_work(*each) || find_side(*each) != nullptr;
        });
    }
};

/// All places. Those that are cheapest to check come first.
using all = list<arrivals<priority::high>, arrivals<priority::normal>, arrivals<priority::low>,
                 workers, sources>;

template <class Place>
concept listed = all::holds<Place> || (all::holds<workers> && of_worker::holds<Place>);

/// The only way to take from a place. A place that is not in the list, and that
/// `pool_core::has_work` would therefore miss, does not compile: no worker falls asleep while
/// there is work that it would find.
template <class Place>
struct known : Place {
    static_assert(listed<Place>);

private:
    friend finder;
    template <class... Places>
    friend struct list;
};

} // namespace places

/// The search of one worker. Only its own thread uses it.
class finder {
public:
    finder(pool_core& pool, worker& self) noexcept
        : pool_{&pool}, self_{&self}, random_state_{self.index() * 0x9e3779b97f4a7c15ULL + 1} {}

    /// Steps 0 to 4: without stealing.
    [[nodiscard]] finding find_near() noexcept;
    /// Step 2.
    [[nodiscard]] finding find_own() noexcept;
    /// Its own tasks of each priority, for a stand-in that leaves all other tasks to workers.
    [[nodiscard]] finding find_left() noexcept;
    /// All steps, repeated for a limited number of rounds.
    [[nodiscard]] finding search() noexcept;
    /// Step 6, with this victim.
    [[nodiscard]] finding steal(worker& victim) noexcept;
    /// Whether this worker gets orders from plans.
    void set_hungry(bool hungry) noexcept;

private:
    template <priority Level>
    friend struct places::arrivals;
    template <priority Level>
    friend struct places::queue;
    friend struct places::shared_children;
    friend struct places::sources;

    [[nodiscard]] finding find_oldest() noexcept;
    template <priority Level>
    [[nodiscard]] finding find_with_priority() noexcept;
    [[nodiscard]] finding find_by_plan(unsigned round) noexcept;
    [[nodiscard]] finding carry_out_order() noexcept;
    [[nodiscard]] finding steal_at_random() noexcept;
    [[nodiscard]] finding steal_from_side(const worker& victim) noexcept;
    void take_more(worker& victim, std::size_t wanted) noexcept;
    [[nodiscard]] std::size_t random_below(std::size_t count) noexcept;

    pool_core* pool_;
    worker* self_;
    std::uint64_t random_state_;
};

} // namespace weft::inline v0::detail
