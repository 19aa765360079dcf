#include <weft/detail/pool/worker.hpp>

#include "pool/pool_core.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

worker::worker(pool_core& pool, std::size_t index, bool thieves, scoped_slot* slots)
    : scoped{slots}, tasks{thieves}, urgent{thieves}, unhurried{thieves}, blocks{pool.blocks},
      large_blocks{pool.large_blocks}, pool_{&pool}, index_{index},
      random_state_{index * 0x9e3779b97f4a7c15ULL + 1} {}

// Not inlined: compilers see that the address of something short-lived is kept, and not its end.
[[gnu::noinline]] worker::running::running(worker& here, const std::stop_token* stop) noexcept
    : stop_{stop}, base_{here.scoped.owner_next()}, below_{here.top_}, here_{&here} {
    here.top_ = this;
}

bool worker::runs_task_of(const std::stop_token& stop) const noexcept {
    for (const running* each = top_; each != nullptr; each = each->below_) {
        if (each->stop_ != nullptr && *each->stop_ == stop) return true;
    }
    return false;
}

// Scoped children

void worker::prepare_shared(scoped_slot& child) const noexcept {
    const running* parent = top_;
    while (parent != nullptr && &child < parent->base_) parent = parent->below_;
    child.stop = parent != nullptr ? parent->stop_ : nullptr;
    child.failed = false;
    ::new (&child.join) join_word;
}

void worker::answer_alarm(scoped_slot* pushed) {
    alarm_.store(stack_limit_, sync::relaxed);
    if (stack_is_low()) {
        scoped.owner_pop(pushed);
        require_stack("weft::fork_join");
    }
    scoped.owner_share([this](scoped_slot& each) { prepare_shared(each); });
    tell_shared();
    // The sleepers asked once, before they slept: there is to be something for each of them, or it
    // would stay private while this worker is busy elsewhere.
    if (scoped.shared_count() < core().sleep.wakeable()) be_asked_to_share();
}

void worker::tell_shared() noexcept {
    core().sleep.notify();
    if (worker* waiting = share_bell.ring()) waiting->join_parker.unpark();
}

void worker::publish() noexcept {
    if (scoped.owner_has_private()) {
        scoped.owner_share_all([this](scoped_slot& each) { prepare_shared(each); });
    }
    tell_shared();
}

void worker::run_stolen(scoped_slot& child, worker& victim) noexcept {
    join_word::finished end{};
    {
        const running now{*this, child.stop};
        child.thief = this;
        child.thief_base = scoped.owner_position();
        if (child.join.thief_begin()) victim.join_parker.unpark();
        counts.tasks.count();
        child.run(child, *this);
        end = child.join.thief_finish();
    }
    if (end.helped) scoped.owner_renew();
    // The victim outlives the child: its pool ends its workers together.
    if (end.wake) victim.join_parker.unpark();
}

void worker::wait_for_stolen(scoped_slot& child) noexcept {
    const auto runs = [&] { return child.join.owner_look() == join_word::state::running; };
    bool helps = false;
    const auto try_help = [&] {
        if (!runs()) return false;
        helps = helps || child.join.owner_help();
        return helps && help(*child.thief, child.thief_base, runs);
    };
    const auto done = [&] { return child.join.owner_look() == join_word::state::done; };
    while (!help_until(done, try_help)) {
        publish();
        worker* runner = runs() ? child.thief : nullptr;
        const bool called = runner != nullptr && runner->share_bell.try_wait(*this);
        if (!called || !try_help()) { // the bell may have rung before
            const join_word::state now = child.join.owner_await();
            const bool known = runner != nullptr || now == join_word::state::shared;
            if (known && now != join_word::state::done) {
                counts.waits.count();
                join_parker.park();
            }
        }
        if (called) runner->share_bell.leave(*this);
    }
}

void worker::refuse_stack(const char* call) { throw error{errc::stack_exhausted, call}; }

void worker::suppress_first(std::exception_ptr error) noexcept {
    try {
        suppressed.insert(suppressed.begin(), std::move(error));
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): told in the header
    }
}

// Tasks

void worker::keep(task& later, band where) noexcept {
    try {
        tasks_of(where).owner_push(&later);
    } catch (const std::bad_alloc&) {
        core().arrivals_of(where).push(&later); // no room to grow: it comes back from there
    }
}

/// In a long queue the next ones were written by another CPU, or long ago: they come into the cache while others run.
auto worker::find_own() noexcept -> finding {
    constexpr std::int64_t ahead = 3;
    if (const task* later = tasks.owner_look_ahead(ahead)) {
        sync::prefetch(later, block_cache::block_size);
    }
    return {.next = tasks.owner_pop()};
}

auto worker::find_in_inbox() noexcept -> finding {
    task* first = core().arrivals.take_all();
    if (first == nullptr) return {};
    // The others go to the own queue, where thieves find them, the youngest first: so the oldest of
    // them comes out next.
    task* youngest = nullptr;
    for (task* each = first->next; each != nullptr;) {
        task* after = each->next;
        each->next = youngest;
        youngest = each;
        each = after;
    }
    const bool more = youngest != nullptr;
    while (youngest != nullptr) {
        task* each = youngest;
        youngest = each->next;
        keep(*each);
    }
    if (more) core().sleep.notify(); // for a while they were in no queue
    return {.next = first};
}

/// Tasks of another band than most: usually there are none, which costs two looks. The oldest comes first, and
/// what has arrived comes behind what is here: within a band nobody is overtaken for ever.
auto worker::find_banded(band which) noexcept -> finding {
    task_deque<task>& own = tasks_of(which);
    task* first = nullptr;
    if (task* arrived = core().arrivals_of(which).take_all()) {
        if (own.count() == 0) first = std::exchange(arrived, arrived->next);
        const bool more = arrived != nullptr;
        while (arrived != nullptr) keep(*std::exchange(arrived, arrived->next), which);
        if (more) core().sleep.notify(); // for a while they were in no queue
    }
    if (first == nullptr && own.count() > 0) first = own.steal();
    return {.next = first};
}

auto worker::find_in_sources() noexcept -> finding {
    if (core().stopping()) return {};
    return {.source = core().sources.visit([](work_source& each) { return each.has_work(); })};
}

/// What has waited longest, of each kind by turns, so that nothing ready starves behind tasks that
/// always submit another.
auto worker::find_oldest() noexcept -> finding {
    constexpr unsigned kinds = 4;
    const unsigned turn = picks_ / constants::picks_between_oldest;
    for (unsigned i = 0; i < kinds; ++i) {
        finding found;
        switch ((turn + i) % kinds) {
        case 0: found = find_in_inbox(); break;
        case 1: found = find_in_sources(); break;
        case 2: found.next = tasks.steal(); break;
        default: found = find_banded(band::low); break;
        }
        if (found) return found;
    }
    return {};
}

/// What is there without stealing.
auto worker::find_near() noexcept -> finding {
    if (++picks_ % constants::picks_between_oldest == 0) {
        if (finding found = find_oldest()) return found;
    }
    if (finding found = find_banded(band::high)) return found;
    if (finding found = find_own()) return found;
    if (finding found = find_in_inbox()) return found;
    return find_in_sources();
}

/// After a task: nothing but what it has itself, if others are to take over.
auto worker::find_next() noexcept -> finding {
    return core().is_surplus(*this) ? find_own() : find_near();
}

auto worker::find_urgent_at(worker& victim) noexcept -> finding {
    task* first = victim.urgent.count() > 0 ? victim.urgent.steal() : nullptr;
    if (first != nullptr) counts.steals_won.count();
    return {.next = first};
}

auto worker::find_at(worker& victim) noexcept -> finding {
    counts.steals_tried.count();
    if (finding found = find_urgent_at(victim)) return found;
    if (scoped_slot* child = victim.scoped.steal()) {
        counts.steals_won.count();
        return {.child = child, .victim = &victim};
    }
    victim.be_asked_to_share();
    task* first = victim.tasks.steal();
    if (first == nullptr) {
        task* last = victim.unhurried.count() > 0 ? victim.unhurried.steal() : nullptr;
        if (last != nullptr) counts.steals_won.count();
        return {.next = last};
    }
    counts.steals_won.count();
    const std::size_t wanted = core().options.stealing->amount(victim.tasks.count() + 1);
    take_more_from(victim, std::max<std::size_t>(wanted, 1) - 1);
    return {.next = first};
}

/// Into the own queue, the oldest first. Nothing for one who stands in for another: it would have to run all that before it
/// goes back to its bench.
void worker::take_more_from(worker& victim, std::size_t wanted) noexcept {
    if (index_ >= core().options.workers) return;
    std::size_t taken = 0;
    for (; taken < wanted; ++taken) {
        task* more = victim.tasks.steal();
        if (more == nullptr) break;
        keep(*more);
    }
    if (taken > 0) core().sleep.notify(); // for a while they were in no queue
}

/// Orders are about tasks of the normal band, and an urgent one goes before them here too. At most half of what is
/// there now: the order may be old, and a victim is not to be left with less than who was to be helped.
auto worker::carry_out_order() noexcept -> finding {
    const steal_order order = core().planner->orders.owner_take(index_);
    if (!order) return {};
    worker& victim = *core().workers[order.victim()];
    counts.steals_tried.count();
    if (finding found = find_urgent_at(victim)) return found;
    const std::size_t wanted =
        std::min(order.count(), balance::half_of(victim.tasks.count(), steal_order::most));
    task* first = wanted > 0 ? victim.tasks.steal() : nullptr;
    if (first == nullptr) return {};
    counts.steals_won.count();
    counts.orders_carried.count();
    take_more_from(victim, wanted - 1);
    return {.next = first};
}

/// What another has planned for this worker, or what it plans itself; now and then while it searches.
auto worker::find_by_plan(unsigned round) noexcept -> finding {
    steal_planner* planner = core().planner.get();
    if (planner == nullptr) return {};
    if (finding found = carry_out_order()) return found;
    sleep_control& sleep = core().sleep;
    if (round % constants::rounds_between_plans != 0 || !planner->may_pay(sleep.idle())) return {};
    const auto& all = core().workers;
    const std::size_t given =
        planner->try_plan([&all](std::size_t each) { return all[each]->tasks.count(); },
                          [&sleep](std::size_t each) { sleep.wake(each); });
    if (given == 0) return {};
    counts.orders_given.count(given);
    return carry_out_order();
}

void worker::set_hungry(bool now) noexcept {
    if (core().planner) core().planner->orders.owner_set_hungry(index_, now);
}

auto worker::search() noexcept -> finding {
    const auto& all = core().workers;
    for (unsigned round = 0; round < constants::search_rounds; ++round) {
        if (finding found = find_near()) return found;
        if (finding found = find_by_plan(round)) return found;
        if (all.size() > 1) {
            worker& victim = *all[random_below(all.size())];
            if (&victim != this) {
                if (finding found = find_at(victim)) return found;
            }
        }
        if (finding found = find_banded(band::low)) return found;
        sync::pause();
    }
    return {};
}

/// Nothing, when the pool is over.
auto worker::search_or_sleep() noexcept -> finding {
    sleep_control& sleep = core().sleep;
    const auto more = [this] { return core().has_work(); };
    while (!core().over()) {
        if (core().is_surplus(*this)) { // the block that it stood in for has ended
            set_hungry(false);
            if (finding found = find_own()) return found;
            sleep.stay_away(more);
            core().wait_on_bench(*this);
            sleep.come_back();
            continue;
        }
        set_hungry(true);
        if (finding found = search()) {
            set_hungry(false);
            return found;
        }
        for (const auto& each : core().workers) {
            if (each.get() != this) each->be_asked_to_share();
        }
        counts.parks.count();
        cpu_.store(no_cpu, sync::relaxed);
        if (sleep.sleep(index_, [&] { return more() || core().look_for_end(); })) {
            counts.wakes.count();
        }
        if (!core().over()) find_cpu();
    }
    return {};
}

void worker::run(const finding& found) noexcept {
    if (found.child != nullptr) {
        run_stolen(*found.child, *found.victim);
    } else if (found.next != nullptr) {
        counts.tasks.count();
        found.next->run(*found.next, *this);
    } else {
        const bool found_work = core().sources.visit(next_source_, [this](work_source& each) {
            inside_ = &each;
            const bool ran = each.try_run();
            inside_ = nullptr;
            return ran;
        });
        if (!found_work) sync::pause(); // another thread is about to add it, or has just taken it
    }
}

// The thread

void worker::begin_thread() {
    slot::set(this);
    // The stack may be larger than what was asked for, and then it is not used whole: the memory for
    // scoped children is made for what was asked for.
    const std::uintptr_t begin = sync::stack_position();
    const std::uintptr_t asked = begin - std::min<std::uintptr_t>(begin, core().options.stack_size);
    stack_limit_ = std::max(sync::stack_bottom(), asked) + stack_reserve;
    if (const auto& cpus = core().cpus; !cpus.empty()) {
        const std::size_t cpu = cpus[index_ % cpus.size()];
        if (core().options.pinned) sync::stay_on_cpu(cpu);
        else sync::move_to_cpu(cpu); // to begin with
    }
    if (core().options.on_start) core().options.on_start(index_);
}

/// After it was woken. Kernels let a thread wake where it slept, or where its waker is, and take many
/// milliseconds to see that another CPU stands idle; so workers that meet on one CPU part.
void worker::find_cpu() noexcept {
    std::size_t here = sync::current_cpu();
    const auto taken = [this](std::size_t cpu) {
        return std::ranges::any_of(core().workers, [&](const auto& each) {
            return each.get() != this && each->cpu_.load(sync::relaxed) == cpu;
        });
    };
    if (!core().options.pinned && taken(here)) {
        const auto& all = core().cpus;
        const auto free = std::ranges::find_if_not(all, taken);
        if (free != all.end()) {
            here = *free;
            sync::move_to_cpu(here);
        }
    }
    cpu_.store(here, sync::relaxed);
}

void worker::end_thread() {
    slot::set(nullptr); // first: what the hook submitted here would never be run
    if (core().options.on_end) core().options.on_end(index_);
}

void worker::work() {
    sleep_control& sleep = core().sleep;
    sleep.come_back();
    begin_thread();
    while (finding found = search_or_sleep()) {
        sleep.end_search([this] { return core().has_work(); });
        for (; found; found = find_next()) run(found);
        sleep.begin_search();
    }
    end_thread();
}

std::size_t worker::random_below(std::size_t count) noexcept {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 7;
    random_state_ ^= random_state_ << 17;
    return static_cast<std::size_t>(random_state_ % count);
}

} // namespace weft::inline v0::detail
