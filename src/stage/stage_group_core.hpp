// The stages of a pool: which of them a worker runs next.
#pragma once

#include "lockfree/event_count.hpp"
#include "lockfree/signal_tree.hpp"

#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/mutex.hpp>
#include <weft/pool.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::inline v0::detail {

/// The stages of a group, and the work source through which workers run them.
///
/// | operation        | caller                                   | progress                        |
/// |------------------|------------------------------------------|---------------------------------|
/// | make_stage       | any thread that constructs a stage       | a lock                          |
/// | end_stage        | any thread that destroys a stage         | waits until the stage is idle   |
/// | try_run, has_work| workers                                  | never waits                     |
/// | mark             | any thread that has made a stage due     | wait-free                       |
/// | wait             | threads outside the pool                 | blocks                          |
///
/// Shares. A stage has a *virtual time*: the time that workers have spent in it, divided by its
/// share. Workers choose stages in turns; of those that are due, one whose virtual time is not
/// above the group's. If all are above, the group's becomes that of the lowest. So stages that are
/// always due get time in proportion to their shares, and a stage that was idle for long does not
/// get what it did not need: its virtual time follows the group's.
///
/// Invariants
///  SG1  A stage that is due is marked in `ready` (stage_core ST6), and a worker that finds no mark
///       sleeps as `sleep_control` says: `mark` is followed by a notification.
///  SG2  The memory of a stage is freed with the group; until then it may become that of another
///       stage. So a worker that comes late, and a search for circles, read nothing that is gone.
///  SG3  A group is idle if no item is in it. A look at all stages one after the other may miss an
///       item that goes from one to another; two looks with the same number of items entered do
///       not.
class stage_group_core final : public work_source {
public:
    /// The pool may be null: then the caller drives the group by `try_run`.
    explicit stage_group_core(weft::pool* pool);
    ~stage_group_core() override;
    stage_group_core(const stage_group_core&) = delete;
    stage_group_core& operator=(const stage_group_core&) = delete;

    [[nodiscard]] stage_core& make_stage(stage_settings settings, stage_program& program);
    void end_stage(stage_core& stage) noexcept;

    bool try_run() noexcept override;
    [[nodiscard]] bool has_work() const noexcept override { return !ready_.empty(); }
    void pool_ended() noexcept override;

    void mark(std::uint32_t stage) noexcept;
    /// Work was marked, or more of it may be run at the same time.
    void notify() noexcept {
        if (pool_ != nullptr) pool_->notify();
    }
    void note_idle() noexcept { quiet_.notify_all(); }

    /// Returns when no item is in the group. Throws `would_deadlock` on a worker of the pool, and
    /// `stopped` if the pool was stopped while there were items.
    void wait(const char* call);
    void wait_for(const stage_core& stage);
    void stop(on_stop mode);
    [[nodiscard]] bool is_idle() const noexcept;

    [[nodiscard]] stage_core& stage_at(std::size_t index) const noexcept;
    /// Calls `use(stage)` for each stage; none is made or ends meanwhile.
    template <class Use>
    void for_each(Use use) {
        const sync::lock_guard lock{making_};
        for (std::size_t i = 0; i < size(); ++i) {
            if (stage_at(i).is_open()) use(stage_at(i));
        }
    }
    [[nodiscard]] std::size_t size() const noexcept {
        return size_.load(sync::acquire); // pairs with make_stage() [NETWORK-1]
    }
    [[nodiscard]] pool_front* pool() const noexcept {
        return pool_ == nullptr ? nullptr : &pool_->front();
    }
    /// No worker runs the group any more.
    [[nodiscard]] bool has_pool_ended() const noexcept {
        return ended_.load(sync::acquire); // pairs with pool_ended() [NETWORK-6]
    }
    /// And no push waits for room.
    [[nodiscard]] bool is_settled() const noexcept {
        return settled_.load(sync::acquire); // pairs with pool_ended() [NETWORK-8]
    }
    [[nodiscard]] std::uint64_t virtual_time() const noexcept { return time_.load(sync::relaxed); }
    [[nodiscard]] std::size_t concurrency() const noexcept { return concurrency_; }
    /// The length of a tick, as measured since the group was made.
    [[nodiscard]] double nanoseconds_of_tick() const noexcept;

    /// While it lives, a thread that is no worker of the pool may use the group, even if it could
    /// end meanwhile.
    class visit {
    public:
        explicit visit(stage_group_core& group) noexcept : group_{group} {
            group_.visitors_.fetch_add(1, sync::relaxed);
        }
        ~visit() { group_.leave(); }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;

    private:
        stage_group_core& group_;
    };

private:
    void leave() noexcept {
        visitors_.fetch_sub(1, sync::release); // pairs with has_visitors() [NETWORK-2]
    }
    [[nodiscard]] bool has_visitors() const noexcept {
        return visitors_.load(sync::acquire) != 0; // pairs with leave() [NETWORK-3]
    }

    static constexpr std::size_t first_segment = 64;
    static constexpr std::size_t most_stages = std::size_t{1} << 22;
    static constexpr std::size_t most_segments = 18;
    using segment = std::unique_ptr<sync::atomic<stage_core*>[]>;

    [[nodiscard]] static std::pair<std::size_t, std::size_t> place(std::size_t index) noexcept;
    [[nodiscard]] bool run_one() noexcept;
    void raise_time(std::uint64_t lowest) noexcept;
    void require_outside(const char* call) const;

    weft::pool* const pool_;
    const std::size_t concurrency_;
    signal_tree ready_;
    sync::atomic<std::size_t> size_{0};
    alignas(64) sync::atomic<std::size_t> cursor_{0};
    sync::atomic<std::uint64_t> time_{0};
    sync::atomic<bool> ended_{false};
    sync::atomic<bool> settled_{false};
    sync::atomic<std::uint32_t> visitors_{0};
    event_count quiet_;

    sync::mutex making_;
    std::array<segment, most_segments> segments_;
    std::vector<stage_core*> free_;
    const std::uint64_t started_ticks_;
    const sync::clock::time_point started_;
};

} // namespace weft::inline v0::detail
