#include "explorer/engine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>

namespace weft::inline v0::explorer::detail {
namespace {

// Numbers the executions of all explorations of this OS thread, so that none uses an object of
// another.
thread_local std::uint64_t next_execution = 1;

} // namespace

thread_local engine* active_engine = nullptr;

engine::engine(const options& limits, const mutation& change)
    : options_{limits}, change_{change}, random_{limits.seed, limits.depth} {}

engine::~engine() = default;

// Life of an execution

void engine::reset() {
    execution_ = next_execution++;
    memory_.reset();
    mutexes_.clear();
    parkers_.clear();
    globals_.clear(); // of an abandoned execution
    for (thread_index index = 0; index < thread_count_; ++index) {
        threads_[index].state = status::absent;
        threads_[index].words.clear();
        threads_[index].at_end.clear();
    }
    ready_ = timed_ = yielded_ = ended_ = joined_ = 0;
    lonely_yields_ = 0;
    last_to_step_ = 0;
    steps_ = 0;
    preemptions_left_ = options_.preemptions;
    stale_reads_left_ = options_.memory == memory_model::weak ? options_.stale_reads : 0;
    timeouts_left_ = options_.timeouts;
    may_freeze_ = options_.freeze;
    time_ = 0;
    failed_.reset();
    trace_.clear();
    thread_count_ = 1;
    current_ = 0;
    threads_[0].name = "main";
    threads_[0].fresh = true;
    threads_[0].stack.reserve(0, 1);
    threads_[0].stack.prepare(&engine::run_main, this);
    set_state(0, status::ready);
}

bool engine::run(const std::function<void()>& scenario, search mode, bool tracing) {
    mode_ = mode;
    tracing_ = tracing;
    scenario_ = &scenario;
    reset();
    active_engine = this;
    fiber::switch_to(host_, threads_[0].stack);
    active_engine = nullptr;
    heap_.reclaim();
    return !failed_;
}

explorer::failure engine::take_failure() {
    return {.kind = failed_.value(),
            .message = std::move(message_),
            .steps = std::move(trace_),
            .replay = {}};
}

void engine::run_main(void* self) {
    auto& execution = *static_cast<engine*>(self);
    execution.run_body(0);
    execution.end_execution();
    fiber::leave(execution.threads_[0].stack, execution.host_);
}

void engine::run_thread(void* self) {
    auto& execution = *static_cast<engine*>(self);
    execution.run_body(execution.current_);
    execution.end_current();
    std::abort(); // resume() has left it for good
}

void engine::run_body(thread_index index) {
    std::string escaped;
    try {
        if (index == 0) (*scenario_)();
        else threads_[index].body(threads_[index].callable);
        run_thread_end();
        return;
    } catch (const std::exception& error) {
        escaped = error.what();
    } catch (...) {
        escaped = "of a type that is not a std::exception";
    }
    escaped.insert(0, "an exception left " + threads_[index].name + ": ");
    fail(failure_kind::exception, std::move(escaped));
}

/// As at the end of a system thread: one call may register another.
void engine::run_thread_end() {
    auto& pending = threads_[current_].at_end;
    while (!pending.empty()) {
        const auto [end, owned] = pending.back();
        pending.pop_back();
        end(owned);
    }
}

void engine::destroy_globals() {
    while (!globals_.empty()) {
        const global last = globals_.back();
        globals_.pop_back();
        last.destroy(last.object);
    }
}

void engine::end_current() {
    thread& self = threads_[current_];
    self.ending = memory_.new_baton();
    memory_.release_to(current_, self.ending);
    set_state(current_, status::ended);
    ended_ |= bit(current_);
    for (thread_index index = 0; index < thread_count_; ++index) {
        const thread& each = threads_[index];
        if (each.state == status::joining && (each.waits_for & ~ended_) == 0) {
            set_state(index, status::ready);
        }
    }
    reschedule();
}

void engine::end_execution() {
    for (thread_index index = 1; index < thread_count_; ++index) {
        if (threads_[index].state != status::ended) {
            fail(failure_kind::misuse, "the scenario ended before " + threads_[index].name);
        }
    }
    destroy_globals();
    if (const heap::block* leaked = heap_.leaked()) {
        std::string message = std::to_string(leaked->size) + " bytes allocated at " +
                              short_place(leaked->allocated_at) + " were not freed";
        fail(failure_kind::leak, std::move(message));
    }
    if (path_.diverged() || (mode_ == search::depth_first && !path_.at_end())) {
        fail(failure_kind::misuse, "the scenario did not do the same twice; something in it "
                                   "depends on more than the explorer's decisions");
    }
}

void engine::fail(failure_kind kind, std::string&& message) {
    failed_ = kind;
    std::string{std::move(message)}.swap(message_); // an old message ends here, not in this frame
    fiber::leave(threads_[current_].stack, host_);  // E3
}

// Scheduling

void engine::count_step() {
    if (++steps_ <= options_.max_steps) return;
    std::string message =
        "not ended after " + std::to_string(options_.max_steps) + " steps\n" + describe_threads();
    fail(frozen() ? failure_kind::blocked_by_frozen : failure_kind::livelock, std::move(message));
}

/// A thread that has yielded waits until each of the others that could run has done something.
void engine::pay_yields() {
    for (thread_set left = yielded_ & ~bit(current_); left != 0; left &= left - 1) {
        const auto index = static_cast<thread_index>(std::countr_zero(left));
        thread& waiting = threads_[index];
        waiting.owes &= ready_ & ~bit(current_);
        if (waiting.owes == 0) yielded_ &= ~bit(index);
    }
}

void engine::point(const site& place) {
    count_step();
    thread& self = threads_[current_];
    self.place = place;
    pay_yields();
    if (last_to_step_ != current_) {
        last_to_step_ = current_;
        lonely_yields_ = 0;
    }
    if ((yielded_ & bit(current_)) != 0) ++lonely_yields_;
    // A new thread was chosen just now: the only decision is whether to freeze it.
    const bool chosen_just_now = std::exchange(self.fresh, false);
    if (!chosen_just_now || (may_freeze_ && current_ != 0)) reschedule();
}

void engine::block(status state, std::uint32_t waits_for, std::optional<nanoseconds> deadline,
                   const site& place) {
    thread& self = threads_[current_];
    self.waits_for = waits_for;
    self.deadline = deadline;
    self.timed_out = false;
    self.place = place;
    self.fresh = false;
    set_state(current_, state);
    reschedule();
    self.deadline.reset();
}

void engine::set_state(thread_index index, status state) {
    threads_[index].state = state;
    const bool waits = state == status::parked || state == status::sleeping;
    ready_ &= ~bit(index);
    timed_ &= ~bit(index);
    if (state == status::ready) ready_ |= bit(index);
    if (waits && threads_[index].deadline) timed_ |= bit(index);
}

engine::alternatives engine::list_alternatives() const {
    alternatives list;
    const auto add_all = [&](thread_set set) {
        for (; set != 0; set &= set - 1) {
            list.threads[list.count++] = static_cast<thread_index>(std::countr_zero(set));
        }
    };
    const thread_set self = bit(current_);
    const thread_set eager = ready_ & ~yielded_;
    if ((eager & self) != 0) list.threads[list.count++] = current_;
    add_all(eager & ~self);
    // A timeout is free when no thread can run, or when those that can do nothing but wait.
    const bool all_wait = ready_ == 0 || (eager == 0 && lonely_yields_ > 1);
    list.timers_from = list.count;
    if (timeouts_left_ > 0 || all_wait) add_all(timed_);
    list.timers_until = list.count;
    // A thread that has yielded may also go on at once, at the price of a preemption.
    if (list.count > 0 && (ready_ & yielded_ & self) != 0) {
        list.threads[list.count++] = current_;
        list.goes_on = true;
    }
    if (list.count > 0) return list;
    add_all(ready_ & ~self); // all have yielded: prefer another thread
    if (list.count == 0) add_all(ready_);
    list.timers_from = list.timers_until = list.count;
    return list;
}

void engine::reschedule() {
    bool settled = false;
    while (!settled) settled = take_turn();
}

/// One decision; false if another is needed before a thread runs.
bool engine::take_turn() {
    if (timed_ != 0 && ready_ != 0 && timeouts_left_ == 0) excluded_.timeouts = true;
    const bool stays = (ready_ & ~yielded_ & bit(current_)) != 0;
    const bool freezable = may_freeze_ && stays && current_ != 0;
    const bool alone = ready_ == bit(current_) && (timed_ == 0 || timeouts_left_ == 0);
    if (stays && alone && !freezable) return true;

    const alternatives list = list_alternatives();
    if (list.count == 0) {
        nobody_can_run();
        return false;
    }
    const unsigned chosen = list.count == 1 && !freezable ? 0 : decide(list, stays, freezable);
    if (freezable && chosen == 1) {
        may_freeze_ = false;
        note(threads_[current_].place, "is stopped for ever before this");
        set_state(current_, status::frozen);
        return false;
    }
    hand_over(list, freezable && chosen > 1 ? chosen - 1 : chosen, stays);
    return true;
}

void engine::hand_over(const alternatives& list, unsigned chosen, bool stays) {
    const thread_index next = list.threads[chosen];
    const bool goes_on = list.goes_on && chosen == list.count - 1;
    if ((stays && next != current_) || goes_on) --preemptions_left_;
    if (chosen >= list.timers_from && chosen < list.timers_until) {
        if (list.timers_from > 0) --timeouts_left_;
        wake_by_time(next);
    }
    if (next != current_) resume(next);
}

unsigned engine::decide(const alternatives& list, bool stays, bool freezable) {
    const unsigned count = list.count + (freezable ? 1 : 0);
    switch (mode_) {
    case search::replay: return path_.follow(count);
    case search::random: {
        const unsigned chosen = decide_at_random(list, freezable);
        path_.record(chosen, count);
        return chosen;
    }
    case search::depth_first: break;
    }
    if (preemptions_left_ > 0) return path_.next(count);
    unsigned allowed = count;
    if (stays) allowed = 1 + (freezable ? 1 : 0);
    else if (list.goes_on) allowed = count - 1;
    if (allowed < count) excluded_.preemptions = true;
    return path_.next(allowed);
}

unsigned engine::decide_at_random(const alternatives& list, bool freezable) {
    const unsigned shift = freezable ? 1 : 0;
    if (freezable && random_.freezes_at(steps_)) return 1;
    random_.maybe_fall_behind(current_, steps_);
    constexpr unsigned rare = 8;
    if (list.goes_on && random_.below(rare) == 0) return shift + list.count - 1;
    const unsigned timers = list.timers_until - list.timers_from;
    if (timers > 0 && (list.timers_from == 0 || random_.below(rare) == 0)) {
        return shift + list.timers_from + random_.below(timers);
    }
    unsigned best = 0;
    for (unsigned i = 1; i < list.timers_from; ++i) {
        if (random_.priority(list.threads[i]) > random_.priority(list.threads[best])) best = i;
    }
    const bool stays = list.threads[best] == current_;
    return stays ? 0 : best + shift;
}

void engine::resume(thread_index next) {
    thread& left = threads_[current_];
    current_ = next;
    if (left.state == status::ended) fiber::leave(left.stack, threads_[next].stack);
    fiber::switch_to(left.stack, threads_[next].stack);
}

void engine::wake_by_time(thread_index index) {
    thread& sleeper = threads_[index];
    sleeper.timed_out = true;
    time_ = std::max(time_, *sleeper.deadline);
    set_state(index, status::ready);
    if (tracing_) {
        const thread_index running = std::exchange(current_, index);
        note(sleeper.place, "its time is up");
        current_ = running;
    }
}

std::optional<thread_index> engine::frozen() const {
    for (thread_index index = 0; index < thread_count_; ++index) {
        if (threads_[index].state == status::frozen) return index;
    }
    return std::nullopt;
}

void engine::nobody_can_run() {
    const auto stopped = frozen();
    const bool only_joins =
        std::all_of(threads_.begin(), threads_.begin() + thread_count_, [](const thread& each) {
            return each.state == status::ended || each.state == status::joining ||
                   each.state == status::frozen;
        });
    if (stopped && only_joins) { // all others have ended without it: let it go on, to clean up
        set_state(*stopped, status::ready);
        return;
    }
    std::string message =
        stopped ? "with one thread stopped, others cannot end\n" : "no thread can run\n";
    message += describe_threads();
    fail(stopped ? failure_kind::blocked_by_frozen : failure_kind::deadlock, std::move(message));
}

unsigned engine::choose(unsigned count) {
    if (mode_ == search::depth_first) return path_.next(count);
    if (mode_ == search::replay) return path_.follow(count);
    const unsigned chosen = random_.below(2) == 0 ? 0 : random_.below(count);
    path_.record(chosen, count);
    return chosen;
}

// Words for people

std::string engine::describe(const thread& each) const {
    const std::string place = " at " + short_place(each.place);
    switch (each.state) {
    case status::ready: return "could run" + place;
    case status::joining: {
        std::string text = "waits for the end of";
        for (thread_index index = 0; index < thread_count_; ++index) {
            if ((each.waits_for & ~ended_ & bit(index)) != 0) text += " " + threads_[index].name;
        }
        return text;
    }
    case status::locking: {
        const auto owner = mutexes_[each.waits_for].owner;
        return "waits for a mutex" + place + (owner ? ", held by " + threads_[*owner].name : "");
    }
    case status::parked: return "is parked" + place;
    case status::sleeping: return "sleeps on " + memory_.name_of_atomic(each.waits_for) + place;
    case status::frozen: return "was stopped for ever" + place;
    case status::ended: return "has ended";
    case status::absent: break;
    }
    return "was not started";
}

std::string engine::describe_threads() const {
    std::string text;
    for (thread_index index = 0; index < thread_count_; ++index) {
        if (index != 0) text += '\n';
        text += "    " + threads_[index].name + " " + describe(threads_[index]);
    }
    return text;
}

void engine::note(const site& place, std::string operation) {
    if (tracing_)
        trace_.push_back({threads_[current_].name, short_place(place), std::move(operation)});
}

std::string short_place(const site& place) {
    if (place.line() == 0) return {};
    const std::string_view file = place.file_name();
    const std::size_t slash = file.rfind('/');
    return std::string{slash == std::string_view::npos ? file : file.substr(slash + 1)} + ":" +
           std::to_string(place.line());
}

std::string_view name_of_order(std::memory_order order) {
    switch (order) {
    case std::memory_order_relaxed: return "relaxed";
    case std::memory_order_consume: return "consume";
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    case std::memory_order_seq_cst: return "seq_cst";
    }
    return "?";
}

} // namespace weft::inline v0::explorer::detail
