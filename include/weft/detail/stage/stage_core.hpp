// A stage without the type of its items: queue, room, budget, and who runs next.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/stage/latency_histogram.hpp>
#include <weft/detail/stage/load_control.hpp>
#include <weft/detail/stage/parked_run.hpp>
#include <weft/detail/stage/serial_section.hpp>
#include <weft/detail/stage/stage_node.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/stage_options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace weft::inline v0 {

namespace detail {

class pool_front;
class stage_group_core;
class stage_core;

/// What happened to the items that a program was given.
struct item_ends {
    std::uint32_t done = 0;
    std::uint32_t failed = 0;
    /// They end later, and the run's place in the budget is theirs.
    std::uint32_t pending = 0;
};

/// The part of a stage that knows the type of its items.
class WEFT_API stage_program {
public:
    stage_program() noexcept = default;
    virtual ~stage_program();
    stage_program(const stage_program&) = delete;
    stage_program& operator=(const stage_program&) = delete;
    /// Handles the items and destroys them. An item that is tried once more was given back.
    virtual item_ends handle(stage_core& core, node_list& items) noexcept = 0;
    /// Calls what was asked to be called for an item that is dropped, and destroys the item.
    virtual void drop(stage_core& core, stage_node& node, drop_reason reason) noexcept = 0;
    /// Frees a node whose item was destroyed. Calls no user code.
    virtual void free(stage_node& node) noexcept = 0;
};

struct stage_settings {
    std::string name;
    std::uint32_t capacity;
    std::uint32_t budget;
    std::uint32_t share;
    std::uint32_t batch;
    stage_order order;
    bool keyed;
    bool ordered_dispatch; ///< one item at a time is handed to what it waits for
    bool pending_items;    ///< items may end after `handle` has returned
    std::uint64_t target;  ///< ticks in which 99 of 100 items shall begin; 0: none
};

/// What can be read of a stage at any time.
struct stage_counts {
    std::uint64_t entered;
    std::uint64_t done;
    std::uint64_t failed;
    std::uint64_t dropped;
    std::uint64_t refused;
    std::uint32_t running;
};

/// The run of a stage that the calling thread is in.
struct stage_run {
    stage_core& owner;
    parked_run* record = nullptr; // if a push of the current item waits for room
    std::uint32_t begun = 0;      // items that have begun, and whose room was not given back yet
    bool may_wait = true;         // else its pushes into full stages fail

    /// Null outside of handlers.
    [[nodiscard]] WEFT_API static stage_run* current() noexcept;
};

/// While it lives, the calling thread is in a run.
class stage_run_binding {
public:
    WEFT_API explicit stage_run_binding(stage_run& run) noexcept;
    WEFT_API ~stage_run_binding();
    stage_run_binding(const stage_run_binding&) = delete;
    stage_run_binding& operator=(const stage_run_binding&) = delete;

private:
    stage_run* outer_;
};

/// | operation                      | caller                         | progress                  |
/// |--------------------------------|--------------------------------|---------------------------|
/// | try_push, push_or_owe, push_over | any thread                   | lock-free                 |
/// | turn                           | workers, through the group     | never waits               |
/// | end_pending, give_back         | the end of an item, any thread | lock-free                 |
/// | set_capacity, set_budget, …    | any thread                     | lock-free                 |
/// | counts                         | any thread                     | wait-free                 |
///
/// An item is pushed into `arrivals`; a thread inside the *section* moves it to the queue, and a
/// *run* takes items from the queue, in the section, and handles them outside. A run is a claim of
/// one place of the budget by a worker. The stage is *due* if a worker would find something to do
/// in it; its signal in the group's tree leads workers to it.
///
/// Invariants
///  ST1  At most `budget` runs and pending items at a time, unless the budget was lowered
///       meanwhile, or a run has to wait for room after its item went pending. A claim is made in
///       the section only. A run that waits for room holds its place and no items: those that it
///       had taken go back to the front of the queue, in their order.
///  ST2  Every item that entered ends once: done, failed or dropped. entered is counted before the
///       item can be seen, its end after what it pushed on has been counted.
///  ST3  room = capacity - items that have entered and not begun. It is negative by the number of
///       pushes that *owe* room; each of them keeps its run, and so at most one item's pushes for
///       each run are above the capacity. Room that is given back while pushes owe is given to the
///       oldest of them.
///  ST4  Items of a level begin in the order in which they entered; those of a key also end so.
///  ST5  No thread waits for another in any of these operations. A thread that cannot enter the
///       section goes away; what it came for is done by the thread inside (serial_section SS2), or
///       was marked before.
///  ST6  Whoever makes the stage due marks it afterwards, with a fence between (signal_tree T1), or
///       is a run that looks again. What a mark leads to is looked at again before the mark is
///       withdrawn. So no item is forgotten.
///  ST7  A thread that ends the last item of the stage does nothing with it afterwards, unless it
///       holds a place of the budget or is counted in `inside`: `await_runs` waits for those.
///  ST8  When the pool has ended, no push waits for room any more: whoever ends the pool and
///  whoever
///       pushes meanwhile go through the section after what they did; the later one sees both.
class WEFT_API stage_core {
public:
    stage_core(stage_group_core& group, std::uint32_t index) noexcept;
    ~stage_core();
    stage_core(const stage_core&) = delete;
    stage_core& operator=(const stage_core&) = delete;

    // Pushing. The node belongs to the stage unless they return false or throw.

    /// What `weft::stage::push` does; whether the item was pushed or queued, and not dropped. If it
    /// throws, the node was not taken from its guard.
    template <class Guard>
    bool push(Guard& made, when_full full, const char* call) {
        stage_node& node = *made;
        if (try_push(node)) {
            made.release();
            return true;
        }
        switch (full) {
        case when_full::wait:
            if (stage_run* run = stage_run::current(); run != nullptr && run->may_wait) {
                push_from(*run, node);
                made.release();
                return true;
            }
            break;
        case when_full::fail: break;
        case when_full::drop_newest:
            made.release();
            drop_new(node);
            return false;
        case when_full::drop_oldest:
            made.release();
            push_over(node);
            return true;
        }
        refuse(call);
    }
    /// Takes room for an item that `enter` pushes, or that `give_room` gives back.
    [[nodiscard]] bool try_take_room() noexcept;
    void enter(stage_node& node) noexcept;
    void give_room(std::uint32_t count) noexcept;
    static void give_room_of(stage_run& run) noexcept;
    [[noreturn]] void refuse(const char* call);

    /// False if there is no room.
    [[nodiscard]] bool try_push(stage_node& node) noexcept;
    /// Pushes in any case. If there was no room, `waiting` is called when there is.
    /// True if there was room.
    bool push_or_owe(stage_node& node, waiting_push& waiting) noexcept;
    /// Pushes in any case; `waiting` is called when there is room.
    void push_held(stage_node& node, waiting_push& waiting) noexcept;
    /// Pushes into a full queue, and drops its oldest item.
    void push_over(stage_node& node) noexcept;
    /// Pushes from inside a handler: if there is no room, that run waits before its next item.
    /// Throws `would_deadlock` with the circle, or std::bad_alloc; then nothing was pushed.
    void push_from(stage_run& run, stage_node& node);
    /// An item that is dropped without entering the queue.
    void drop_new(stage_node& node) noexcept;
    void count_refused() noexcept { refused_.fetch_add(1, sync::relaxed); }
    /// Throws `stopped` if it accepts no more items.
    void require_open(const char* call) const;

    // The ends of items

    /// An item that failed is queued once more.
    void give_back(stage_node& node) noexcept;
    /// A pending item has ended; the node is given back.
    void end_pending(stage_node& node, bool failed) noexcept;
    /// A pending item has pushed what may wait for room: then its place in the budget is free when
    /// there is.
    void park_pending(stage_run& run) noexcept;
    /// Whether what is pending cannot be run any more.
    [[nodiscard]] bool is_lost() const noexcept;
    /// A node whose item was destroyed.
    void release(stage_node& node) noexcept;

    // Workers

    /// Runs items for a short time. False if there was nothing to do.
    bool turn() noexcept;
    /// Whether a turn would find something.
    [[nodiscard]] bool is_due() const noexcept;
    [[nodiscard]] std::uint64_t virtual_time() const noexcept {
        return virtual_time_.load(sync::relaxed);
    }

    // Life

    void open(stage_settings settings, stage_program& program);
    /// Accepts no more pushes from outside of handlers, and if `drain` is false none at all.
    void close(bool drain) noexcept;
    /// Ends the pushes that wait: its pool has ended.
    void note_pool_ended() noexcept { ask_for_service(); }
    /// Drops what is queued: its pool has ended.
    void clear() noexcept;
    /// Returns when no thread is in a run of the stage. The stage must be idle.
    void await_runs() noexcept;
    /// The program is not used afterwards.
    void end() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return program_ != nullptr; }
    [[nodiscard]] bool is_idle() const noexcept;
    /// Items that have entered, and those that have ended; equal if it is idle.
    [[nodiscard]] std::uint64_t entered() const noexcept { return entered_.load(sync::relaxed); }
    [[nodiscard]] std::uint64_t ended() const noexcept;

    // Settings and what can be read
    void set_capacity(std::uint32_t capacity) noexcept;
    void set_budget(std::uint32_t budget) noexcept;
    void set_share(std::uint32_t share) noexcept { share_.store(share, sync::relaxed); }
    void pause(bool paused) noexcept;
    [[nodiscard]] stage_counts counts() const noexcept;
    [[nodiscard]] const stage_settings& settings() const noexcept { return settings_; }
    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_.load(sync::relaxed); }
    [[nodiscard]] std::uint32_t budget() const noexcept { return budget_.load(sync::relaxed); }
    [[nodiscard]] std::uint32_t share() const noexcept { return share_.load(sync::relaxed); }
    [[nodiscard]] bool has_room() const noexcept { return room_.load(sync::relaxed) > 0; }
    [[nodiscard]] std::uint32_t limit() const noexcept { return limit_.load(sync::relaxed); }
    /// Null before the first item.
    [[nodiscard]] stage_latencies* latencies() const noexcept;
    [[nodiscard]] stage_group_core& group() const noexcept { return group_; }
    [[nodiscard]] std::uint32_t index() const noexcept { return index_; }

private:
    friend class circle_search;
    friend struct debt_slot;
    friend class stage_group_core;
    struct key_lane {
        node_list waiting;
        bool busy = false;
    };
    enum class worked : std::uint8_t { all, parked, pending };

    void mark_if_due() noexcept;

    // In the section
    void serve(node_list& dropped) noexcept;
    void serve_unbegun() noexcept;
    void place(stage_node& node) noexcept;
    [[nodiscard]] stage_node* pop_next() noexcept;
    void evict(node_list& dropped) noexcept;
    void admit_owing() noexcept;
    void refuse_owing() noexcept;
    [[nodiscard]] std::int64_t room_for_owing() const noexcept;
    void apply_limit() noexcept;
    void settle_owing(stage_node& node) noexcept;
    [[nodiscard]] bool claim(node_list& items) noexcept;
    void take(node_list& items) noexcept;
    [[nodiscard]] std::size_t amount() const noexcept;
    [[nodiscard]] bool may_claim() const noexcept;

    void leave_section() noexcept;
    void ask_for_service() noexcept;
    void drop_all(node_list& nodes, drop_reason reason) noexcept;

    [[nodiscard]] bool begin(node_list& items) noexcept;
    [[nodiscard]] bool next(node_list& items) noexcept;
    void control_load() noexcept;
    void make_latencies() noexcept;
    void end_dispatch() noexcept;
    [[nodiscard]] worked work(stage_run& run, node_list& items) noexcept;
    [[nodiscard]] std::uint32_t select(node_list& items, node_list& chosen,
                                       std::uint64_t now) noexcept;
    void count(const item_ends& ends, std::uint64_t service) noexcept;
    static void note_ends(sync::atomic<std::uint64_t>& counter, std::uint32_t items) noexcept {
        // release, pairs with ends_of(): what the items have pushed on (ST2) [STAGE-5]
        counter.fetch_add(items, sync::release);
    }
    [[nodiscard]] static std::uint64_t
    ends_of(const sync::atomic<std::uint64_t>& counter) noexcept {
        return counter.load(sync::acquire); // pairs with note_ends() [STAGE-6]
    }
    /// A place of the budget is free, for a run that begins after what this one did.
    void leave_budget() noexcept {
        active_.fetch_sub(1, sync::release); // pairs with may_claim() [STAGE-14]
    }
    [[nodiscard]] parked_run* first_record() const noexcept {
        return records_.load(sync::acquire); // pairs with record_for() [STAGE-2]
    }
    [[nodiscard]] bool park(stage_run& run, node_list& rest) noexcept;
    void put_back(node_list& rest) noexcept;
    void resume(parked_run& run) noexcept;
    void end_run() noexcept;
    void note_idle() noexcept;
    void charge(std::uint64_t ticks) noexcept;
    [[nodiscard]] parked_run& record_for(stage_run& run);

    stage_group_core& group_;
    const std::uint32_t index_;
    sync::atomic<std::uint32_t> limit_{0}; // of the load control, at most the capacity
    stage_settings settings_{};
    stage_program* program_ = nullptr;

    // Written by pushes
    alignas(64) inbox<stage_node> arrivals_;
    sync::atomic<std::int64_t> room_{0};
    sync::atomic<std::uint64_t> entered_{0};
    sync::atomic<std::uint64_t> refused_{0};
    sync::atomic<std::uint32_t> evictions_{0}; // that pushes have asked for
    inbox<parked_run> resumed_;
    inbox<stage_node> returned_; // nodes of a stage with keys, whose items have ended
    inbox<stage_node> unbegun_;  // items that a run has taken and gives back

    // Written in the section
    alignas(64) serial_section section_;
    unsigned picks_ = 0;
    std::array<node_list, 3> queue_; // by level
    owing_list owing_;
    sync::atomic<parked_run*> continuing_{nullptr}; // runs that may go on
    std::vector<key_lane> lanes_;                   // if it orders by keys
    sync::atomic<std::size_t> kept_{0};             // items in `queue_`
    std::unique_ptr<controlled_load> control_;

    // Written by runs
    alignas(64) sync::atomic<std::uint32_t> active_{0};
    sync::atomic<std::uint32_t> inside_{0}; // turns that may outlive their items
    sync::atomic<bool> dispatching_{false};
    sync::atomic<std::uint64_t> done_{0};
    sync::atomic<std::uint64_t> failed_{0};
    sync::atomic<std::uint64_t> dropped_{0};
    sync::atomic<std::uint64_t> virtual_time_{0};
    sync::atomic<std::uint32_t> estimate_{0}; // ticks of an item
    sync::atomic<stage_latencies*> latencies_{nullptr};
    sync::atomic<parked_run*> records_{nullptr};

    // Rarely written
    sync::atomic<std::uint32_t> capacity_{0};
    sync::atomic<std::uint32_t> budget_{0};
    sync::atomic<std::uint32_t> share_{1};
    sync::atomic<bool> one_dispatch_{false}; // as in the settings, for workers that come late
    sync::atomic<bool> paused_{false};
    sync::atomic<bool> closed_{true};
    sync::atomic<bool> cancelling_{false};
};

} // namespace detail
} // namespace weft::inline v0
