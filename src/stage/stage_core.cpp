// How workers run a stage.
#include "stage/stage_group_core.hpp"

#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/detail/sync/thread_local_value.hpp>

#include <algorithm>
#include <utility>

namespace weft::inline v0::detail {

namespace {

struct current_run;
using current_of_thread = sync::thread_local_value<current_run, void*>;

constexpr std::uint64_t turn_ticks = 20 * sync::tick_counter::in_microsecond;
constexpr std::size_t key_lanes = 128;

} // namespace

stage_run_binding::stage_run_binding(stage_run& run) noexcept : outer_{stage_run::current()} {
    current_of_thread::set(&run);
}
stage_run_binding::~stage_run_binding() { current_of_thread::set(outer_); }

stage_run* stage_run::current() noexcept {
    return static_cast<stage_run*>(current_of_thread::get());
}

stage_program::~stage_program() = default;

stage_core::stage_core(stage_group_core& group, std::uint32_t index) noexcept
    : group_{group}, index_{index} {}

stage_core::~stage_core() {
    for (parked_run* each = records_.load(sync::relaxed); each != nullptr;) {
        sync::destroy(std::exchange(each, each->next_made));
    }
    sync::destroy(latencies_.load(sync::relaxed));
}

// Life

/// A worker that comes late to the stage whose memory this was may still look at it.
void stage_core::open(stage_settings settings, stage_program& program) {
    std::vector<key_lane> lanes(settings.keyed ? key_lanes : 0);
    std::unique_ptr<controlled_load> control;
    if (settings.target != 0) {
        control =
            std::make_unique<controlled_load>(load_control{settings.target, settings.capacity});
    }
    while (!section_.enter_or_ask()) sync::yield();
    if (settings.order == stage_order::submitted) settings.budget = 1;
    settings_ = std::move(settings);
    one_dispatch_.store(settings_.ordered_dispatch, sync::relaxed);
    lanes_ = std::move(lanes);
    control_ = std::move(control);
    program_ = &program;
    sync::destroy(latencies_.exchange(nullptr, sync::relaxed));
    for (auto* each : {&entered_, &refused_, &done_, &failed_, &dropped_}) {
        each->store(0, sync::relaxed);
    }
    estimate_.store(0, sync::relaxed);
    capacity_.store(settings_.capacity, sync::relaxed);
    limit_.store(settings_.capacity, sync::relaxed);
    room_.store(settings_.capacity, sync::relaxed);
    budget_.store(settings_.budget, sync::relaxed);
    share_.store(settings_.share, sync::relaxed);
    paused_.store(false, sync::relaxed);
    cancelling_.store(false, sync::relaxed);
    virtual_time_.store(group_.virtual_time(), sync::relaxed);
    closed_.store(false, sync::relaxed);
    leave_section();
    group_.note_idle(); // whoever has seen some of these before and some after looks again
}

void stage_core::close(bool drain) noexcept {
    closed_.store(true, sync::relaxed);
    if (!drain) cancelling_.store(true, sync::relaxed);
    pause(false);
}

/// Runs are on their way out of their last items, or wait for room after those have ended.
void stage_core::await_runs() noexcept {
    // acquire, pairs with turn() [STAGE-23]
    while (active_.load(sync::relaxed) != 0 || inside_.load(sync::acquire) != 0) {
        if (group_.is_settled()) clear(); // a run that another group's stage has let go
        sync::yield();
    }
}

void stage_core::end() noexcept {
    while (!section_.enter_or_ask()) sync::yield();
    node_list none;
    serve(none); // nodes that came back
    program_ = nullptr;
    lanes_.clear();
    control_.reset();
    while (!section_.leave()) {
    }
}

void stage_core::clear() noexcept {
    while (!section_.enter_or_ask()) sync::yield();
    node_list dropped;
    serve(dropped);
    parked_run* runs = continuing_.exchange(nullptr, sync::relaxed);
    for (parked_run* more = resumed_.take_all(); more != nullptr;) {
        parked_run* after = more->next;
        more->next = std::exchange(runs, more);
        more = after;
    }
    while (runs != nullptr) {
        runs->used.store(false, sync::relaxed);
        active_.fetch_sub(1, sync::relaxed);
        runs = runs->next;
    }
    for (node_list& each : queue_) {
        while (stage_node* node = each.pop_front()) {
            settle_owing(*node);
            room_.fetch_add(1, sync::relaxed);
            dropped.push_back(*node);
        }
    }
    for (key_lane& lane : lanes_) {
        while (stage_node* node = lane.waiting.pop_front()) {
            settle_owing(*node);
            room_.fetch_add(1, sync::relaxed);
            dropped.push_back(*node);
        }
    }
    kept_.store(0, sync::relaxed);
    while (!section_.leave()) {
    }
    drop_all(dropped, drop_reason::stopped);
}

std::uint64_t stage_core::ended() const noexcept {
    return ends_of(done_) + ends_of(failed_) + ends_of(dropped_);
}

bool stage_core::is_idle() const noexcept {
    const std::uint64_t before = ended(); // read first: it is never more than what has entered
    return entered() == before;
}

// Settings

void stage_core::set_capacity(std::uint32_t capacity) noexcept {
    capacity_.store(capacity, sync::relaxed);
    ask_for_service();
}

void stage_core::set_budget(std::uint32_t budget) noexcept {
    if (settings_.order == stage_order::submitted) return;
    budget_.store(budget, sync::relaxed);
    mark_if_due();
}

void stage_core::pause(bool paused) noexcept {
    paused_.store(paused, sync::relaxed);
    mark_if_due();
}

stage_counts stage_core::counts() const noexcept {
    stage_counts now{};
    now.done = ends_of(done_);
    now.failed = ends_of(failed_);
    now.dropped = ends_of(dropped_);
    now.refused = refused_.load(sync::relaxed);
    now.running = active_.load(sync::relaxed);
    now.entered = entered();
    return now;
}

stage_latencies* stage_core::latencies() const noexcept {
    return latencies_.load(sync::acquire); // pairs with make_latencies() [STAGE-12]
}

// What is due

bool stage_core::is_due() const noexcept {
    if (!resumed_.empty() || continuing_.load(sync::relaxed) != nullptr) return true;
    if (!returned_.empty()) return true;
    return (kept_.load(sync::relaxed) != 0 || !arrivals_.empty() || !unbegun_.empty()) &&
           may_claim();
}

/// After the caller has changed something that makes it due (ST6).
void stage_core::mark_if_due() noexcept {
    // Of two threads, one that has made room in the budget and one that has left items, one sees
    // both: pairs with mark_if_due() of the other [STAGE-13]
    sync::fence(sync::seq_cst);
    if (!is_due()) return;
    group_.mark(index_);
    group_.notify();
}

/// The caller is inside the section, and has served.
void stage_core::leave_section() noexcept {
    node_list dropped;
    while (!section_.leave()) serve(dropped);
    drop_all(dropped, drop_reason::oldest);
    mark_if_due();
}

void stage_core::ask_for_service() noexcept {
    if (!section_.enter_or_ask()) return;
    node_list dropped;
    serve(dropped);
    while (!section_.leave()) serve(dropped);
    drop_all(dropped, drop_reason::oldest);
    mark_if_due();
}

// Runs

bool stage_core::begin(node_list& items) noexcept {
    if (!section_.try_enter()) return false;
    if (program_ == nullptr) { // a mark of a stage that has ended
        while (!section_.leave()) {
        }
        return false;
    }
    node_list dropped;
    serve(dropped);
    control_load();
    const bool claimed = claim(items);
    while (!section_.leave()) serve(dropped);
    drop_all(dropped, drop_reason::oldest);
    mark_if_due();
    if (!claimed) note_idle(); // a run may have ended that had nothing left
    return claimed;
}

/// The run goes on with further items, or ends.
bool stage_core::next(node_list& items) noexcept {
    if (!section_.try_enter()) {
        end_run();
        return false;
    }
    node_list dropped;
    serve(dropped);
    const bool surplus = active_.load(sync::relaxed) > budget_.load(sync::relaxed);
    if (!surplus && !paused_.load(sync::relaxed)) take(items);
    control_load();
    while (!section_.leave()) serve(dropped);
    drop_all(dropped, drop_reason::oldest);
    if (items.empty()) {
        end_run();
        return false;
    }
    mark_if_due();
    return true;
}

void stage_core::control_load() noexcept {
    if (control_ == nullptr) return;
    const std::uint64_t refused = refused_.load(sync::relaxed) + dropped_.load(sync::relaxed);
    control_->decide(sync::tick_counter::now(), refused, !owing_.empty());
    apply_limit();
    admit_owing();
}

/// An item was handed over to what it waits for: the next one may be.
void stage_core::end_dispatch() noexcept {
    if (!one_dispatch_.load(sync::relaxed)) return;
    // release, pairs with may_claim(): the next one comes later [STAGE-18]
    dispatching_.store(false, sync::release);
}

void stage_core::end_run() noexcept {
    end_dispatch();
    leave_budget();
    mark_if_due();
    note_idle();
}

void stage_core::note_idle() noexcept {
    if (is_idle()) group_.note_idle();
}

bool stage_core::turn() noexcept {
    node_list items;
    if (!begin(items)) return false;
    // A pending item may end on another thread before the turn does, and no other item may be there
    // that keeps the stage.
    const bool held = settings_.pending_items;
    if (held) inside_.fetch_add(1, sync::relaxed);
    make_latencies();
    stage_run run{*this};
    const stage_run_binding bound{run};
    const std::uint64_t start = sync::tick_counter::now();
    std::uint64_t elapsed = 0;
    for (;;) {
        const worked last = work(run, items);
        elapsed = sync::tick_counter::now() - start;
        if (last != worked::all) {
            end_dispatch();
            mark_if_due();
            break;
        }
        if (elapsed >= turn_ticks) {
            end_run();
            break;
        }
        if (!next(items)) break;
    }
    charge(elapsed);
    if (held) inside_.fetch_sub(1, sync::release); // pairs with await_runs() [STAGE-24]
    return true;
}

/// At the first item: quiet stages have none. Without memory nothing is measured.
void stage_core::make_latencies() noexcept {
    if (latencies_.load(sync::relaxed) != nullptr) return;
    stage_latencies* made = nullptr;
    try {
        made = sync::make<stage_latencies>();
    } catch (const std::bad_alloc&) {
        return;
    }
    stage_latencies* expected = nullptr;
    // release, pairs with latencies(): the histograms are empty [STAGE-19]
    if (!latencies_.compare_exchange_strong(expected, made, sync::release, sync::relaxed)) {
        sync::destroy(made);
    }
}

void stage_core::charge(std::uint64_t ticks) noexcept {
    const std::uint64_t before = virtual_time_.load(sync::relaxed);
    const std::uint64_t group = group_.virtual_time();
    const std::uint64_t least = group > turn_ticks ? group - turn_ticks : 0;
    const std::uint64_t used = (ticks + 1) * 64 / share_.load(sync::relaxed);
    if (before < least) virtual_time_.store(least + used, sync::relaxed);
    else virtual_time_.fetch_add(used, sync::relaxed);
}

/// Takes what the program handles at once, without items that are too late. Returns how many items
/// have left the queue.
std::uint32_t stage_core::select(node_list& items, node_list& chosen, std::uint64_t now) noexcept {
    std::uint32_t left = 0;
    const bool cancelling = cancelling_.load(sync::relaxed);
    while (chosen.size() < settings_.batch) {
        stage_node* node = items.pop_front();
        if (node == nullptr) break;
        ++left;
        const bool late =
            node->deadline != sync::clock::time_point::max() && sync::clock::now() > node->deadline;
        if (!late && !cancelling && !node->unwanted) {
            const std::uint64_t wait = now > node->entered ? now - node->entered : 0;
            if (stage_latencies* seen = latencies()) seen->waits.add(wait);
            if (control_ != nullptr) control_->note_wait(wait);
            if (settings_.pending_items) node->entered = now; // for end_pending()
            chosen.push_back(*node);
            continue;
        }
        node_list dropped;
        dropped.push_back(*node);
        drop_all(dropped, node->unwanted ? drop_reason::cancelled
                          : cancelling   ? drop_reason::stopped
                                         : drop_reason::late);
    }
    return left;
}

void stage_core::count(const item_ends& ends, std::uint64_t service) noexcept {
    if (ends.done != 0) note_ends(done_, ends.done);
    if (ends.failed != 0) note_ends(failed_, ends.failed);
    const std::uint32_t items = ends.done + ends.failed;
    if (items == 0) return;
    const std::uint64_t each = service / items;
    if (stage_latencies* seen = latencies()) seen->services.add(each, items);
    const std::uint64_t before = estimate_.load(sync::relaxed);
    estimate_.store(
        static_cast<std::uint32_t>(std::min<std::uint64_t>((before * 7 + each) / 8, 0xffff'ffff)),
        sync::relaxed);
}

stage_core::worked stage_core::work(stage_run& run, node_list& items) noexcept {
    const std::uint32_t chunk =
        settings_.pending_items ? 1U : std::max(limit_.load(sync::relaxed) / 4, 1U);
    std::uint64_t now = sync::tick_counter::now();
    while (!items.empty()) {
        node_list chosen;
        run.begun += select(items, chosen, now);
        if (run.begun >= chunk) give_room_of(run);
        if (chosen.empty()) continue;
        const item_ends ends = program_->handle(*this, chosen);
        const std::uint64_t after = sync::tick_counter::now();
        count(ends, after - now);
        now = after;
        if (run.record != nullptr) {
            give_room_of(run);
            if (ends.pending != 0) active_.fetch_add(1, sync::relaxed);
            if (park(run, items)) return worked::parked;
            if (ends.pending != 0) leave_budget();
        }
        if (ends.pending != 0) return worked::pending;
        if (paused_.load(sync::relaxed)) put_back(items);
    }
    give_room_of(run);
    return worked::all;
}

/// The item has ended, and what it has pushed has no room. True if the run waits for it. What it
/// has taken is for other runs of the stage meanwhile.
bool stage_core::park(stage_run& run, node_list& rest) noexcept {
    parked_run& record = *std::exchange(run.record, nullptr);
    put_back(rest);
    if (!record.end_debt()) return true;
    record.end_use();
    return false;
}

void stage_core::put_back(node_list& rest) noexcept {
    while (stage_node* node = rest.pop_front()) unbegun_.push(node);
}

// Items that end later

void stage_core::end_pending(stage_node& node, bool failed) noexcept {
    const stage_group_core::visit visiting{group_};
    const std::uint64_t now = sync::tick_counter::now();
    const std::uint64_t service = now > node.entered ? now - node.entered : 0;
    if (stage_latencies* seen = latencies()) seen->services.add(service);
    release(node);
    leave_budget();
    mark_if_due();
    // From here on the stage may be destroyed, and its memory be that of another one.
    note_ends(failed ? failed_ : done_, 1);
    group_.note_idle();
}

void stage_core::park_pending(stage_run& run) noexcept {
    if (run.record == nullptr) return;
    const stage_group_core::visit visiting{group_};
    active_.fetch_add(1, sync::relaxed);
    node_list none;
    if (!park(run, none)) leave_budget();
}

bool stage_core::is_lost() const noexcept { return group_.has_pool_ended(); }

void stage_core::release(stage_node& node) noexcept {
    if (settings_.keyed) returned_.push(&node);
    else program_->free(node);
}

} // namespace weft::inline v0::detail
