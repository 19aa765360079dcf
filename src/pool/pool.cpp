#include "pool/pool_core.hpp"

#include <weft/detail/sync/model_constants.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace weft::inline v0 {

stealing_policy::~stealing_policy() = default;
work_source::~work_source() = default;

std::size_t random_stealing::amount(std::size_t /*available*/) const noexcept { return 1; }

std::size_t half_stealing::amount(std::size_t available) const noexcept {
    return std::max<std::size_t>(available / 2, 1);
}

/// A tree of tasks has few of them in a queue, and the oldest is the largest: one is enough. A long queue is no tree, and
/// who took one at a time from it would come back for each.
std::size_t multi_stealing::amount(std::size_t available) const noexcept {
    constexpr std::size_t few = 32;
    return available <= few ? 1 : balance::half_of(available, detail::steal_order::most);
}

namespace detail {
namespace {

pool_options completed(pool_options how) {
    constexpr std::size_t largest_stack = std::size_t{16} << 30;
    constexpr std::size_t most_threads = 1 << 16;
    if (how.workers == 0) how.workers = usable_cpus();
    if (how.stack_size == 0) how.stack_size = constants::worker_stack;
    const bool too_many = how.workers > most_threads || how.extra_threads > most_threads;
    if (too_many || how.stack_size > largest_stack) {
        throw error{errc::invalid_argument, "weft::pool"};
    }
    if (!how.stealing) how.stealing = std::make_shared<random_stealing>();
    return how;
}

/// That of the pool's maker comes last: who submits is often there, and a worker that is woken begins
/// sooner elsewhere.
std::vector<std::size_t> cpus_for_workers() {
    std::vector<std::size_t> all = sync::allowed_cpus();
    const auto here = std::ranges::find(all, sync::current_cpu());
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14 does not compile what that returns
    if (here != all.end()) std::rotate(all.begin(), here + 1, all.end());
    return all;
}

} // namespace

/// Address space for the scoped children of all workers; pages come into being when used.
///
/// A pending child belongs to a `fork_join` on its worker's stack, which has a `stack_mark` there; so
/// a worker has never more pending children than its stack has room for marks, and no push needs to
/// ask whether there is room.
class pool_core::slot_memory {
public:
    slot_memory(std::size_t workers, std::size_t stack_size)
        : each_{stack_size / sizeof(sync::stack_mark) + 1},
          size_{workers * each_ * sizeof(scoped_slot)},
          memory_{::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {
        if (memory_ == MAP_FAILED) throw std::bad_alloc{};
    }
    ~slot_memory() { ::munmap(memory_, size_); }
    slot_memory(const slot_memory&) = delete;
    slot_memory& operator=(const slot_memory&) = delete;

    [[nodiscard]] scoped_slot* of(std::size_t worker) const noexcept {
        return static_cast<scoped_slot*>(memory_) + worker * each_;
    }

private:
    std::size_t each_;
    std::size_t size_;
    void* memory_;
};

pool_core::pool_core(weft::pool& face_of, const pool_options& complete)
    : pool_front{face_of, complete.workers + complete.extra_threads, complete.on_error},
      options{complete}, cpus{cpus_for_workers()} {
    const std::size_t count = options.workers + options.extra_threads;
    const planning when = options.stealing->plans();
    if (when != planning::never && count > 1) {
        planner = std::make_unique<steal_planner>(options.workers, options.extra_threads, when);
    }
    slots_ = std::make_unique<slot_memory>(count, options.stack_size);
    workers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        workers.push_back(std::make_unique<worker>(*this, i, count > 1, slots_->of(i)));
        // Until its thread begins, and if it never does, it is away.
        sleep.begin_search();
        sleep.stay_away([] { return false; });
    }
}

void pool_core::start() {
    threads_.reserve(workers.size());
    try {
        for (const auto& each : workers) {
            const std::size_t index = threads_.size();
            threads_.emplace_back(sync::thread_options{options.name + "/" + std::to_string(index),
                                                       options.stack_size},
                                  [self = each.get()] { self->work(); });
        }
    } catch (...) {
        stop(on_stop::cancel);
        throw;
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): a pool that ends on its own worker ends the program
pool_core::~pool_core() {
    stop(on_stop::drain);
    number.forget(); // before anything ends that a late `then` would use
}

bool pool_front::submit_from_outside(task& ready, band where) noexcept {
    auto& core = static_cast<pool_core&>(*this);
    if (!core.gate.try_enter()) return false;
    core.arrivals_of(where).push(&ready);
    sleep.notify();
    core.gate.leave(); // last: once nobody is inside, the pool may end
    return true;
}

bool pool_front::stopping() const noexcept {
    return static_cast<const pool_core&>(*this).gate.closed();
}

void pool_core::stop(on_stop how) {
    if (worker* here = worker::current(); here != nullptr && &here->pool() == this) {
        throw error{errc::would_deadlock, "weft::pool::stop"};
    }
    if (how == on_stop::cancel) cancelling_.store(true, sync::relaxed);
    const sync::lock_guard one_at_a_time{stopping_};
    gate.close();
    while (!gate.quiet()) sync::yield();
    look_for_end();
    for (sync::thread& each : threads_) {
        if (each.joinable()) each.join();
    }
    // pairs with the fence in pool::attach(): a source is told here or there [STOP-1]
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
                         for (const auto& each : workers) each->bench_parker.unpark();
                         idle_.notify_all();
                     });
}

/// What is found empty stays so while all sleep, so work is looked for first.
bool pool_core::is_idle() const noexcept { return over() || (!has_work() && sleep.all_asleep()); }

/// The last worker that falls asleep looks for the end, and wakes the waiters.
void pool_core::wait_idle() {
    if (worker* here = worker::current(); here != nullptr && &here->pool() == this) {
        throw error{errc::would_deadlock, "weft::pool::wait_idle"};
    }
    while (!is_idle()) {
        idle_.wait([this] { return is_idle(); });
    }
}

bool pool_core::has_work() const noexcept {
    if (!arrivals.empty() || !urgent_arrivals.empty() || !unhurried_arrivals.empty()) return true;
    for (const auto& each : workers) {
        if (each->tasks.count() > 0 || each->scoped.shared_count() > 0) return true;
        if (each->urgent.count() > 0 || each->unhurried.count() > 0) return true;
    }
    return !stopping() && sources.visit([](work_source& each) { return each.has_work(); });
}

void pool_front::begin_blocking(worker& here) noexcept {
    if (here.blocks_deep++ == 0) static_cast<pool_core&>(*this).call_stand_in();
}

void pool_front::end_blocking(worker& here) noexcept {
    if (--here.blocks_deep == 0) static_cast<pool_core&>(*this).dismiss_stand_in();
}

void pool_core::call_stand_in() noexcept {
    const std::size_t before = blocked_.fetch_add(1, sync::relaxed);
    if (before < options.extra_threads) workers[options.workers + before]->bench_parker.unpark();
}

void pool_core::dismiss_stand_in() noexcept { blocked_.fetch_sub(1, sync::relaxed); }

bool pool_core::is_surplus(const worker& each) const noexcept {
    return each.index() >= options.workers + blocked_.load(sync::relaxed);
}

void pool_core::wait_on_bench(worker& spare) noexcept {
    while (is_surplus(spare) && !look_for_end()) spare.bench_parker.park();
}

} // namespace detail

pool::pool(pool_options how)
    : core_{std::make_unique<detail::pool_core>(*this, detail::completed(std::move(how)))},
      front_{core_.get()} {
    core_->start(); // only now: a worker's first steps may ask for its pool
}
pool::~pool() = default;

std::size_t pool::workers() const noexcept { return core_->options.workers; }
void pool::stop(on_stop how) { core_->stop(how); }
void pool::wait_idle() { core_->wait_idle(); }
void pool::attach(work_source& source) {
    core_->sources.attach(source);
    notify(); // begins with a fence, pairs with that in pool_core::stop()
    if (core_->over()) source.pool_ended();
}
void pool::detach(work_source& source) {
    const detail::worker* here = detail::worker::current();
    if (here != nullptr && here->is_inside(source)) {
        throw error{errc::would_deadlock, "weft::pool::detach"};
    }
    core_->sources.detach(source);
}
void pool::notify() noexcept { core_->sleep.notify(); }

std::vector<worker_statistics> pool::statistics() const {
    std::vector<worker_statistics> all;
    for (const auto& each : core_->workers) all.push_back(each->counts.read());
    return all;
}

pool* pool::current() noexcept {
    detail::worker* here = detail::worker::current();
    return here != nullptr ? &here->pool().face : nullptr;
}

} // namespace weft::inline v0
