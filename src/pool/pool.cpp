#include "pool/finder.hpp"
#include "pool/pool_core.hpp"
#include "pool/worker_thread.hpp"

#include <weft/detail/sync/model_constants.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

namespace weft::inline v0 {

stealing_policy::~stealing_policy() = default;
work_source::~work_source() = default;

std::size_t random_stealing::amount(std::size_t /*available*/) const noexcept { return 1; }

std::size_t half_stealing::amount(std::size_t available) const noexcept {
    return std::max<std::size_t>(available / 2, 1);
}

/// A tree of tasks has few of them in a queue, and the oldest is the largest: one is enough. A long
/// queue is no tree, and a thief that took one at a time would come back for each.
std::size_t multi_stealing::amount(std::size_t available) const noexcept {
    constexpr std::size_t most_of_a_tree = 32;
    return available <= most_of_a_tree ? 1 : balance::half_of(available, detail::steal_order::most);
}

namespace detail {
namespace {

pool_options completed(pool_options given) {
    constexpr std::size_t largest_stack = std::size_t{16} << 30;
    constexpr std::size_t most_threads = 1 << 16;
    if (given.workers == 0) given.workers = usable_cpus();
    if (given.stack_size == 0) given.stack_size = constants::worker_stack;
    const bool too_many = given.workers > most_threads || given.extra_threads > most_threads;
    if (too_many || given.stack_size > largest_stack) {
        throw error{errc::invalid_argument, "weft::pool"};
    }
    if (!given.stealing) given.stealing = std::make_shared<random_stealing>();
    return given;
}

} // namespace

/// Address space for the scoped children of all workers; pages are allocated on first use.
///
/// A pending child belongs to a `fork_join` on its worker's stack, which has a `stack_mark` there;
/// so a worker has never more pending children than its stack has room for marks, and no push needs
/// to ask whether there is room.
class pool_core::child_memory {
public:
    child_memory(std::size_t workers, std::size_t stack_size)
        : each_{stack_size / sizeof(sync::stack_mark) + 1},
          size_{workers * each_ * sizeof(scoped_child)},
          memory_{::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {
        if (memory_ == MAP_FAILED) throw std::bad_alloc{};
    }
    ~child_memory() { ::munmap(memory_, size_); }
    child_memory(const child_memory&) = delete;
    child_memory& operator=(const child_memory&) = delete;

    [[nodiscard]] scoped_child* begin(std::size_t worker) const noexcept {
        return static_cast<scoped_child*>(memory_) + worker * each_;
    }

private:
    std::size_t each_;
    std::size_t size_;
    void* memory_;
};

pool_core::pool_core(weft::pool& shown, const pool_options& complete)
    : pool_front{shown, complete.workers + complete.extra_threads, complete.on_error},
      options{complete}, placement{options.workers + options.extra_threads, options.pinned},
      stand_ins{options.workers, options.extra_threads} {
    const std::size_t count = options.workers + options.extra_threads;
    const planning when = options.stealing->plans();
    if (when != planning::never && count > 1) {
        planner = std::make_unique<steal_planner>(options.workers, options.extra_threads, when);
    }
    children_ = std::make_unique<child_memory>(count, options.stack_size);
    workers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        workers.push_back(std::make_unique<worker>(*this, i, count > 1, children_->begin(i)));
        // Until its thread is started, the worker stays away.
        sleep.begin_search();
        sleep.stay_away([] { return false; });
    }
    // A lone worker never waits for another.
    if (count == 1 || !options.help_with_submitted) return;
    stacks.reserve(count);
    for (const auto& each : workers) {
        stacks.push_back(std::make_unique<thread_stacks>(*this, *each));
    }
}

void pool_core::start() {
    threads_.reserve(workers.size());
    try {
        for (const auto& each : workers) start_thread(*each);
    } catch (...) {
        stop(on_stop::cancel);
        throw;
    }
}

/// It counts as searching before it begins: else a pool that is stopped at once would be over, and
/// what its hook submits would never be run.
void pool_core::start_thread(worker& self) {
    const std::string name = options.name + "/" + std::to_string(threads_.size());
    sleep.come_back();
    try {
        threads_.emplace_back(sync::thread_options{name, options.stack_size},
                              [this, &self] { worker_thread{*this, self}.run(); });
    } catch (...) {
        sleep.stay_away([this] { return needs_worker(); });
        throw;
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): a pool that ends on its own worker ends the program
pool_core::~pool_core() {
    stop(on_stop::drain);
    number.forget(); // before anything ends that a late `then` would use
}

bool pool_front::submit_from_outside(task& ready, priority level) noexcept {
    auto& core = static_cast<pool_core&>(*this);
    if (!core.intake.try_enter()) return false;
    core.arrivals[level].push(&ready);
    sleep.notify();
    core.intake.leave(); // last: once no thread is inside, the pool may end
    return true;
}

/// A thread is known by its stack: cheaper than its identity, and good enough. Stacks are often the
/// same distance apart, so that the page's number is mixed (Fibonacci hashing).
void* pool_front::allocate_outside() {
    constexpr unsigned page_bits = 12;
    constexpr std::uint64_t golden_ratio = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t mixed = (sync::stack_position() >> page_bits) * golden_ratio;
    return static_cast<pool_core&>(*this).blocks_for_others.allocate(mixed >> 32U);
}

bool pool_front::stopping() const noexcept {
    return static_cast<const pool_core&>(*this).intake.closed();
}

/// Called before the calling thread waits for this pool. A worker of this pool must not wait, and a
/// worker of another pool first shares its children.
void pool_core::prepare_wait(const char* call) const {
    worker* caller = worker::current();
    if (caller == nullptr) return;
    if (&caller->pool() == this) throw error{errc::would_deadlock, call};
    caller->publish();
}

void pool_core::stop(on_stop mode) {
    prepare_wait("weft::pool::stop");
    if (mode == on_stop::cancel) cancelling_.store(true, sync::relaxed);
    const sync::lock_guard one_at_a_time{stopping_};
    intake.close();
    while (!intake.quiet()) sync::yield();
    // Timers that were pending have become work, or were cancelled since: a worker has to look. One
    // that is asleep is seen to have made the time source, by the fence in pool_end::look().
    if (!look_for_end() && time_.find() != nullptr) sleep.notify();
    for (sync::thread& each : threads_) {
        if (each.joinable()) each.join();
    }
    if (time_source* source = time_.find()) source->wait_until_unused();
    // pairs with the fence of sleep_control::notify(), in `pool::attach`: this call notifies a
    // source, or that one does [STOP-1]
    sync::fence(sync::seq_cst);
    sources.visit([](work_source& each) {
        each.pool_ended();
        return false;
    });
}

bool pool_core::look_for_end() noexcept {
    if (sleep.all_asleep()) idle_.notify_all();
    return end_.look([this] { return has_work(); },
                     [this] {
                         sleep.wake_all();
                         stand_ins.wake_all();
                         idle_.notify_all();
                     });
}

/// What is found empty stays empty while all workers sleep, so queues are checked first.
bool pool_core::is_idle() const noexcept { return over() || (!has_work() && sleep.all_asleep()); }

/// The last worker that falls asleep looks for the end, and wakes the waiters.
void pool_core::wait_idle() {
    prepare_wait("weft::pool::wait_idle");
    while (!is_idle()) {
        idle_.wait([this] { return is_idle(); });
    }
    // Seeing that the pool is over does not make visible what its tasks did. stop(), which holds
    // this lock until it has joined the threads, does.
    if (over()) {
        const sync::lock_guard joined{stopping_};
    }
}

bool pool_core::has_work() const noexcept { return places::all::has_work(*this) || has_due(); }

/// The clock is read only if there is a timer.
bool pool_core::has_due() const noexcept {
    const time_source* source = time_.find();
    if (source == nullptr) return false;
    if (stopping()) return source->has_pending();
    const alarm_time next = source->next_alarm();
    return next != no_alarm && next <= alarm_now();
}

bool pool_core::fire_due(worker& caller) noexcept {
    time_source* source = time_.find();
    return source != nullptr && source->fire_due(caller);
}

/// If this worker has started a timer, it sees the time source.
bool pool_core::fire_last(worker& caller) noexcept {
    time_source* source = time_.find();
    if (source == nullptr || !end_.closing() || !source->has_pending()) return false;
    if (!source->fire_due(caller)) sync::yield(); // another thread is about to let go of them
    return true;
}

void pool_front::begin_blocking(worker& caller) noexcept {
    if (caller.begin_blocking()) static_cast<pool_core&>(*this).stand_ins.call();
}

void pool_front::end_blocking(worker& caller) noexcept {
    if (caller.end_blocking()) static_cast<pool_core&>(*this).stand_ins.dismiss();
}

} // namespace detail

pool::pool(pool_options options)
    : core_{std::make_unique<detail::pool_core>(*this, detail::completed(std::move(options)))},
      front_{core_.get()} {
    core_->start(); // only now: a worker may use its pool from its first step
}
pool::~pool() = default;

std::size_t pool::workers() const noexcept { return core_->options.workers; }
void pool::stop(on_stop mode) { core_->stop(mode); }
void pool::wait_idle() { core_->wait_idle(); }
void pool::attach(work_source& source) {
    core_->sources.attach(source);
    notify(); // begins with a fence, pairs with that in pool_core::stop()
    if (core_->over()) source.pool_ended();
}
void pool::detach(work_source& source) {
    const detail::worker* caller = detail::worker::current();
    if (caller != nullptr && caller->is_inside(source)) {
        throw error{errc::would_deadlock, "weft::pool::detach"};
    }
    core_->sources.detach(source);
}
void pool::notify() noexcept { core_->sleep.notify(); }

std::vector<worker_statistics> pool::statistics() const {
    std::vector<worker_statistics> all;
    for (const auto& each : core_->workers) {
        detail::worker_counters::sum total;
        total.add(each->counts);
        if (each->stacks != nullptr) {
            each->stacks->for_each([&](const detail::worker& side) { total.add(side.counts); });
        }
        all.push_back(total);
    }
    return all;
}

pool* pool::current() noexcept {
    detail::worker* caller = detail::worker::current();
    return caller != nullptr ? &caller->pool().public_pool : nullptr;
}

} // namespace weft::inline v0
