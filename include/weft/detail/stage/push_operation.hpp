// A push that waits for room without a thread: as an operation, and as a future.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/stage/stage_item.hpp>
#include <weft/detail/stage/stage_node.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>

#include <cstdint>
#include <utility>

namespace weft::inline v0::detail {

/// A push that may wait, with a life of its own: the item may be in the queue when whoever waits
/// for its room has gone away.
///
/// | operation    | caller                                       | progress  |
/// |--------------|----------------------------------------------|-----------|
/// | try_begin    | the waiter, once                             | wait-free |
/// | admit        | the thread in the section of the stage, once | wait-free |
/// | cancel       | any thread while the waiter holds it         | wait-free |
/// | drop         | each of the two holders, once                | wait-free |
///
/// States
///   idle    --try_begin--> waiting
///   idle    --pass-------> admitted   there was room at once
///   idle    --cancel-----> cancelled  nobody is notified: it has not begun
///   waiting --admit------> admitted   notifies the waiter
///   waiting --cancel-----> cancelled  notifies the waiter
///   waiting --admit------> stopped    notifies the waiter: the pool was stopped
///
/// Invariants
///  PW1  It ends once, and the thread that ends it while it waits notifies the waiter, once.
///  PW2  It has two holders, the stage and the waiter; the last frees it.
class WEFT_API held_push final : public waiting_push {
public:
    held_push() noexcept { admitted = &admit; }
    /// False if it was cancelled.
    [[nodiscard]] bool try_begin(completion_node& waiter) noexcept;
    /// There was room at once: the stage does not hold it.
    void pass() noexcept;
    void cancel() noexcept;
    [[nodiscard]] bool is_cancelled() const noexcept;
    [[nodiscard]] bool is_stopped() const noexcept;
    void drop() noexcept;

private:
    enum class state : std::uint8_t { idle, waiting, admitted, cancelled, stopped };
    static bool admit(waiting_push& self, bool ended) noexcept;

    completion_node* waiter_ = nullptr;
    sync::atomic<state> state_{state::idle};
    sync::atomic<std::uint32_t> holders_{1};
};

/// The operation that `stage::push_when_room` returns: it ends when the item is in the queue and
/// has room there. `take` throws `errc::cancelled` if it was cancelled: then the item is not
/// pushed, or is dropped (`drop_reason::cancelled`) when its turn comes; and `errc::stopped` if the
/// pool was stopped while it waited: then the item is dropped with the stage. `start` throws
/// `errc::stopped` if the stage or the pool was stopped before.
template <class In>
class push_operation {
public:
    using result_type = void;

    push_operation(stage_core& core, stage_item<In>& made)
        : core_{&core}, item_{made}, push_{sync::make<held_push>()} {}
    push_operation(const push_operation&) = delete;
    push_operation& operator=(const push_operation&) = delete;
    ~push_operation() { push_->drop(); }

    bool start(completion_node& end) {
        if (push_->is_cancelled()) return false;
        core_->require_open(call);
        stage_node& node = *item_;
        if (core_->try_push(node)) {
            item_.release();
            push_->pass();
            return false;
        }
        // From `try_begin` on, whoever cancels notifies the waiter, who may destroy the operation.
        stage_core& core = *core_;
        held_push& push = *push_;
        item_guard<In> item{std::move(item_)};
        if (!push.try_begin(end)) return false;
        item.release();
        core.push_held(node, push);
        return true;
    }
    void cancel() noexcept { push_->cancel(); }
    void take() const {
        if (push_->is_cancelled()) throw error{errc::cancelled, call};
        if (push_->is_stopped()) throw error{errc::stopped, call};
    }

private:
    static constexpr const char* call = "weft::stage::push_when_room";
    stage_core* core_;
    item_guard<In> item_;
    held_push* push_;
};

/// Pushes in any case, and returns a future that is ready when there is room.
[[nodiscard]] WEFT_API future<void> push_later(stage_core& core, stage_node& node);
/// Whether the caller is a worker of the stage's pool, which must not wait.
[[nodiscard]] WEFT_API bool is_on_worker(const stage_core& core) noexcept;

} // namespace weft::inline v0::detail
