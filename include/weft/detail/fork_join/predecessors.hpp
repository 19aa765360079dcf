// The tasks that a dormant task waits for.
#pragma once

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/detail/sync/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

/// Submits a dormant task, the successor, when all of several tasks have completed, or the first of
/// them has. No thread waits for that.
///
/// | operation | caller                                  | progress  |
/// |-----------|-----------------------------------------|-----------|
/// | watch     | its maker, once for each predecessor    | lock-free |
/// | start     | its maker, after the last watch         | wait-free |
/// | first     | the successor while it runs             | wait-free |
/// | release   | each holder, once                       | wait-free |
///
/// Invariants
///  P1  The successor is submitted once, by the arrival that brings the pending count to zero. Its
///      maker's `start` is one of the arrivals: so the successor cannot give away a predecessor
///      before all are watched.
///  P2  Of `any`, only the first predecessor to complete arrives.
///  P3  What came before the completion of an arriving predecessor happens before the successor
///      runs.
///  P4  The object is held by each predecessor until it has completed, and by the successor; the
///      last to release it frees it.
class alignas(completion_node) predecessors {
public:
    enum class mode : std::uint8_t { all, any };

    /// Made with a hold for each predecessor and one for the successor. Throws std::bad_alloc.
    static predecessors& make(std::size_t count, mode arriving) {
        void* memory =
            sync::allocate(sizeof(predecessors) + count * sizeof(node), alignof(predecessors));
        return *::new (memory) predecessors{count, arriving};
    }
    predecessors(const predecessors&) = delete;
    predecessors& operator=(const predecessors&) = delete;

    /// Arrives when `task` has completed; at once if it has already.
    void watch(std::size_t index, joinable_task& task) noexcept {
        void* storage = reinterpret_cast<std::byte*>(this + 1) + index * sizeof(node);
        auto* added = ::new (storage) node{*this, index};
        if (!task.word.try_add(*added)) completed(index);
    }
    /// The successor may be submitted from now on; this object may be destroyed before `start`
    /// returns.
    void start(joinable_task& successor) noexcept {
        successor_ = &successor; // published by the arrival
        arrive();
    }
    /// Of `any`: the predecessor that completed first.
    [[nodiscard]] std::size_t first() const noexcept { return first_.load(sync::relaxed); } // P3
    void release() noexcept {
        // release for the use that ends here, acquire for the last to free it [PRED-2]
        if (holders_.fetch_sub(1, sync::acq_rel) == 1) {
            std::destroy_at(this); // the nodes have no destructor
            sync::deallocate(this, alignof(predecessors));
        }
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// One for each predecessor, in the memory behind the object.
    struct node : completion_node {
        predecessors* owner;
        std::size_t index;
        node(predecessors& whole, std::size_t position) noexcept : owner{&whole}, index{position} {
            notify = [](completion_node& self) noexcept {
                const node& done = static_cast<node&>(self);
                done.owner->completed(done.index);
            };
        }
    };

    predecessors(std::size_t count, mode arriving) noexcept
        : mode_{arriving}, pending_{1 + (arriving == mode::all ? count : 1)}, holders_{count + 1} {}

    void completed(std::size_t index) noexcept {
        if (mode_ == mode::all || is_first(index)) arrive();
        release();
    }
    /// P2. Relaxed: the arrival publishes it.
    bool is_first(std::size_t index) noexcept {
        std::size_t expected = none;
        return first_.compare_exchange_strong(expected, index, sync::relaxed, sync::relaxed);
    }
    void arrive() noexcept {
        // P1, P3: release for what came before, acquire for the last to have it all [PRED-1]
        if (pending_.fetch_sub(1, sync::acq_rel) != 1) return;
        WEFT_CHECK(successor_ != nullptr, "started before the last arrival (P1)");
        successor_->submit_when_ready();
    }

    const mode mode_;
    joinable_task* successor_ = nullptr;
    sync::atomic<std::size_t> pending_;
    sync::atomic<std::size_t> holders_;
    sync::atomic<std::size_t> first_{none};
};

/// The successor's hold.
class predecessors_hold {
public:
    explicit predecessors_hold(predecessors& held) noexcept : held_{&held} {}
    predecessors_hold(predecessors_hold&& other) noexcept
        : held_{std::exchange(other.held_, nullptr)} {}
    predecessors_hold& operator=(predecessors_hold&&) = delete;
    ~predecessors_hold() {
        if (held_ != nullptr) held_->release();
    }
    [[nodiscard]] predecessors& operator*() const noexcept { return *held_; }

private:
    predecessors* held_;
};

} // namespace weft::inline v0::detail
