// A chain of coroutines that await each other, and how it is run.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/coroutine/frame.hpp>
#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/error.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stop_token>
#include <utility>

namespace weft::inline v0::detail {

/// One run of a chain on a worker, on that worker's stack.
struct chain_step {
    frame_head* next; // to be resumed when the frame that runs returns, or null
    bool ended = false;
};

/// The coroutines of which each awaits the next one, and their common context: pool, stop token,
/// priority, name, leases. Only the last of them, the *leaf*, can run.
///
/// | operation      | caller                                                         | progress  |
/// |----------------|----------------------------------------------------------------|-----------|
/// | run            | a worker that took it from a queue                             | the coroutines' |
/// | queue          | the thread that ended what the leaf waits for, once for a wait | lock-free |
/// | try_move       | a frame that suspends                                          | lock-free |
/// | queue_behind   | the same                                                       | lock-free |
/// | set_leaf, set_next, set_ended, add_lease, remove_lease, exchange_stop | a frame that runs | wait-free |
///
/// A frame that awaits a child, or ends, leaves the next frame to be resumed in the `chain_step`,
/// and returns to the loop in `run`: a *trampoline*. So the depth of awaits needs no stack. GCC 12
/// guarantees no tail calls without optimisation or under sanitizers, which symmetric transfer
/// would need; a loop behaves alike everywhere.
///
/// Invariants
///  CO1  It runs on one thread at a time: a worker of its pool, as a task of its priority. Nothing
///       is resumed on the stack of the thread that ended what it waits for.
///  CO2  A frame that suspends writes everything first, and makes itself known to others last; its
///       thread touches neither chain nor frames afterwards. `run` uses the step on its own stack.
///  CO3  What a frame waits for ends before the frame does: a chain ends, or is destroyed, when it
///       is in no wait. Its frames are destroyed from the leaf to the root, in a loop.
///  CO4  While it has leases it waits for nothing that might need a resource.
///  CO5  A chain that was made for a part of another ends before the other continues.
class WEFT_API chain {
public:
    struct context {
        std::stop_token stop;
        const char* name = nullptr;
        priority level = priority::normal;
        bool holds = false; // a chain that waits for it has leases
    };
    chain(const task_home& home, context given, frame_head& root) noexcept;
    chain(const chain&) = delete;
    chain& operator=(const chain&) = delete;

    /// Queues it. If its pool accepts no more tasks, it ends as `not_run`, here.
    void queue() noexcept;
    /// Queues it for the first time, which the caller's pool accepts; else returns false.
    [[nodiscard]] bool try_queue() noexcept;
    /// Queues it behind other tasks that are ready.
    void queue_behind() noexcept;
    /// Moves it to another pool and queues it there; false if that accepts no more tasks.
    [[nodiscard]] bool try_move(pool_front& other) noexcept;
    [[nodiscard]] bool is_home(const pool_front& other) const noexcept {
        return home_.pool == &other;
    }

    /// Whether it, or a chain that waits for it, has leases (CO4).
    [[nodiscard]] bool holds() const noexcept { return leases_ != 0 || parent_holds_; }
    void add_lease() noexcept { ++leases_; }
    void remove_lease() noexcept { --leases_; }
    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] priority level() const noexcept { return level_; }
    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }
    /// Another stop token for what it awaits next; returns the one before.
    std::stop_token exchange_stop(std::stop_token other) noexcept {
        return std::exchange(stop_, std::move(other));
    }
    [[nodiscard]] const task_home& home() const noexcept { return home_; }

    /// By a frame that is about to wait: it will be resumed.
    void set_leaf(frame_head& leaf) noexcept { leaf_ = &leaf; }
    /// By a frame that returns to `run`: this one is resumed next.
    void set_next(frame_head& next) const noexcept { step->next = &next; }
    /// By the root, when it has ended.
    void set_ended(frame_head& root) noexcept {
        leaf_ = &root;
        step->ended = true;
    }

protected:
    ~chain() = default;

    /// What a queue holds.
    [[nodiscard]] virtual task& node() noexcept = 0;
    /// The root has ended: it is the leaf. The last call.
    virtual void finish(frame_head& root) noexcept = 0;
    /// It ends for this reason, without its root: all frames are destroyed. The last call. `cause`
    /// is the failure of a future that the frames owned, or null.
    virtual void finish_unrun(errc reason, const failure_collection& cause) noexcept = 0;

    void run(worker& caller) noexcept;
    /// Ends it for this reason. Called when no thread runs it and it is in no wait.
    void end_unrun(errc reason) noexcept;

private:
    void unwind(errc reason) noexcept;

    task_home home_;
    std::stop_token stop_;
    const char* name_;
    frame_head* leaf_;
    union {
        chain_step* step; // while it runs
        chain* later;     // in a list of those that end without being run
    };
    std::uint32_t leases_ = 0;
    priority level_;
    bool parent_holds_;
    bool begun_ = false;
    errc reason_{};
};

/// Room for a `completion_node` in a frame. Nodes are aligned to cache lines, and frames are not:
/// compilers ignore the alignment of what is in a frame if it is larger than the heap's.
template <class Node>
class node_room {
public:
    node_room() noexcept {} // NOLINT(modernize-use-equals-default): the bytes stay as they are
    node_room(const node_room&) = delete;
    node_room& operator=(const node_room&) = delete;

    template <class... Arguments>
    Node& make(Arguments&&... arguments) noexcept {
        void* place = bytes_;
        std::size_t space = sizeof(bytes_);
        return *::new (std::align(alignof(Node), sizeof(Node), place, space))
            Node(std::forward<Arguments>(arguments)...);
    }

private:
    alignas(std::max_align_t)
        std::byte bytes_[sizeof(Node) + alignof(Node) - alignof(std::max_align_t)];
};

/// Queues a chain when it is notified.
struct chain_node : completion_node {
    chain* waiting;
    explicit chain_node(chain& owner) noexcept : waiting{&owner} {
        notify = [](completion_node& self) noexcept {
            static_cast<chain_node&>(self).waiting->queue();
        };
    }
};

} // namespace weft::inline v0::detail
