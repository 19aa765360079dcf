// Contracts: work that runs whenever it is signalled, and never concurrently with itself.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>
#include <weft/selection_bias.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

class contract_token;

namespace detail {

class contract_core;

template <class Work>
concept contract_work =
    std::move_constructible<std::decay_t<Work>> &&
    (std::invocable<std::decay_t<Work>&> || std::invocable<std::decay_t<Work>&, contract_token&>);

template <class Work>
void invoke_contract_work(Work& work, contract_token& token) {
    if constexpr (std::invocable<Work&, contract_token&>) static_cast<void>(work(token));
    else static_cast<void>(work());
}

/// The work of a contract that is being created: `move` moves it, or a pointer to it if it is
/// large, into the group's memory.
struct contract_parts {
    void (*run)(void* storage, contract_token& token);
    void (*destroy)(void* storage) noexcept;
    void (*move)(void* work, void* storage); // may throw; nothing has changed then
    void* work;
};

} // namespace detail

/// A callable for `contract_options::on_release`. It is called with a `contract_token&` or without
/// arguments.
class release_callback {
public:
    /// No callback.
    release_callback() noexcept = default;
    /// No callback.
    release_callback(std::nullptr_t) noexcept {}
    /// From any callable, including move-only ones.
    template <class Callback>
        requires(!std::same_as<std::decay_t<Callback>, release_callback> &&
                 detail::contract_work<Callback>)
    release_callback(Callback&& callback)
        : callback_{std::make_unique<holder<std::decay_t<Callback>>>(
              std::decay_t<Callback>(std::forward<Callback>(callback)))} {}

    /// Whether there is a callback.
    explicit operator bool() const noexcept { return callback_ != nullptr; }
    /// Calls it. There must be one.
    void operator()(contract_token& token) { callback_->call(token); }

private:
    struct base {
        virtual ~base() = default;
        virtual void call(contract_token& token) = 0;
    };
    template <class Callback>
    struct holder final : base {
        explicit holder(Callback&& other) : callback(std::move(other)) {}
        void call(contract_token& token) override { detail::invoke_contract_work(callback, token); }
        Callback callback;
    };
    std::unique_ptr<base> callback_;
};

/// Options of a contract.
struct contract_options {
    /// Called exactly once, after the last run: when the contract was released, or at the end of
    /// the group.
    release_callback on_release = {};
    /// Receives exceptions of the work and of the release callback. Without it, the group's handler
    /// receives them. It must not throw.
    std::function<void(std::exception_ptr)> on_error = {};
    /// The priority. While contracts of all three are always due, they get 16, 4 and 1 of 21 turns;
    /// a priority with nothing due leaves its turns to the others.
    weft::priority priority = weft::priority::normal;
    /// Schedules the contract when it is created.
    bool scheduled = false;
};

/// The owning handle of a contract. Its destructor releases the contract. A handle may outlive its
/// group; then its calls do nothing. Several threads may call `schedule`, `release`, `valid` and
/// `set_priority` at once.
class WEFT_API contract {
public:
    /// A handle of no contract: `valid` is false, and calls do nothing.
    contract() noexcept = default;
    /// `other` has no contract afterwards.
    contract(contract&& other) noexcept
        : core_{std::move(other.core_)}, index_{std::exchange(other.index_, 0)} {}
    /// Releases the contract that this handle owned before. `other` has no contract afterwards.
    contract& operator=(contract&& other) noexcept {
        if (this != &other) {
            drop();
            core_ = std::move(other.core_);
            index_ = std::exchange(other.index_, 0);
        }
        return *this;
    }
    /// Releases the contract.
    ~contract() { drop(); }

    /// Signals the contract: its work runs once more. The run begins after this call, and sees what
    /// the caller did before it. Any number of calls before a thread has claimed the contract lead
    /// to one run. A call between the claim and the beginning of the run may lead to another run.
    ///
    /// Takes no lock and never waits. Wakes at most one sleeping thread; if both a pool's workers
    /// and other threads execute the group, at most one of each. Returns false if the contract is
    /// being released; no run is promised then.
    bool schedule() const noexcept;

    /// Ends the contract: a run that is due takes place, then the release callback is called, then
    /// the work is destroyed. All of this happens later, on a thread that executes the group.
    /// Returns true for the first call, and false afterwards.
    bool release() const noexcept;

    /// Whether there is a contract, and it has not been released.
    [[nodiscard]] bool valid() const noexcept;
    /// The same as `valid`.
    explicit operator bool() const noexcept { return valid(); }

    /// Changes the priority, also of a run that is already due. Does nothing once the contract has
    /// been released.
    void set_priority(priority next) const noexcept;

    /// The position of the contract in its group, for a `selection_bias` that prefers a range of
    /// positions or decides by depth. Contracts that are created one after the other in a new group
    /// have the positions 0, 1, 2, and so on; the position of a contract that is gone is used
    /// again. 0 if there is no contract.
    [[nodiscard]] std::size_t position() const noexcept { return index_; }

private:
    friend class contract_group;
    contract(std::shared_ptr<detail::contract_core> core, std::uint32_t index) noexcept
        : core_{std::move(core)}, index_{index} {}
    void drop() noexcept;

    std::shared_ptr<detail::contract_core> core_;
    std::uint32_t index_ = 0;
};

/// The running contract, for use inside its work. It is valid only during the call.
class WEFT_API contract_token {
public:
    contract_token(const contract_token&) = delete;
    contract_token& operator=(const contract_token&) = delete;

    /// The work runs once more after this run, even if another thread releases the contract in the
    /// meantime. Returns false if it is being released already.
    bool schedule() noexcept {
        if (is_closing()) return false;
        *again_ |= bit_;
        return true;
    }
    /// As `contract::release`. A run that was scheduled before comes first.
    bool release() noexcept;

private:
    friend class detail::contract_core;
    contract_token(detail::contract_block& block, std::uint32_t& again) noexcept
        : block_{&block}, again_{&again} {}
    [[nodiscard]] bool is_closing() const noexcept { return (block_->closing() & bit_) != 0; }

    detail::contract_block* block_;
    std::uint32_t* again_;
    std::uint32_t bit_ = 0;
};

/// Options of a group.
struct contract_group_options {
    /// The pool whose workers run the contracts. Without one, the group is driven by the threads
    /// that call `execute_…`.
    weft::pool* pool = nullptr;
    /// The maximum number of contracts; 0 for no limit. A released contract counts until its handle
    /// is gone too.
    std::size_t limit = 0;
    /// The number of contracts to allocate memory for at construction.
    std::size_t reserve = 0;
    /// Receives exceptions of contracts without a handler. Without it, `wait` throws them. It must
    /// not throw.
    std::function<void(std::exception_ptr)> on_error = {};
    /// What the destructor does with runs that are due.
    on_stop at_end = on_stop::drain;
    /// The biases of the pool's workers, by their numbers; further workers are fair.
    std::vector<selection_bias> worker_biases = {};
};

/// A group of contracts and the threads that run them.
///
/// The contracts of a group on a pool are run by the pool's workers, which sleep when nothing is
/// due. The pool must outlive the group. A group without a pool is driven by the threads that call
/// `try_execute_next`, `execute_some`, `execute_next_or_wait` or `wait`. A thread that runs one
/// contract a call may keep up to 31 others for its next calls; they delay no other thread, which
/// takes them when it needs them, and are not lost if the calls end.
class WEFT_API contract_group {
public:
    /// A group without a pool, driven by its callers, without a limit.
    contract_group() : contract_group(contract_group_options{}) {}
    /// A group whose contracts are run by the workers of `host`.
    explicit contract_group(pool& host) : contract_group(contract_group_options{.pool = &host}) {}
    /// A group without a pool, with a limit. Memory for all contracts is allocated at once.
    explicit contract_group(std::size_t limit)
        : contract_group(contract_group_options{.limit = limit, .reserve = limit}) {}
    /// Throws std::bad_alloc, `errc::full` if the pool already serves 64 groups and other work
    /// sources, or `errc::invalid_argument` for more biases than the pool has workers.
    explicit contract_group(contract_group_options options);
    /// Stops the group as `contract_group_options::at_end` says. Exceptions that no `wait` has
    /// thrown go to the pool's `on_error`; without a handler they end the program. Destroying a
    /// group inside one of its contracts ends the program too.
    ~contract_group();
    contract_group(const contract_group&) = delete;
    contract_group& operator=(const contract_group&) = delete;

    /// Creates a contract for `work`, which is called with a `contract_token&` or without
    /// arguments. Throws `errc::full` beyond the group's limit, `errc::stopped` once the group was
    /// stopped, std::bad_alloc, and what moving the work throws; nothing has changed then.
    template <detail::contract_work Work>
    [[nodiscard]] contract create(Work&& work, contract_options options = {}) {
        using type = std::decay_t<Work>;
        if constexpr (std::same_as<type, Work> && fits<type>) {
            return create_from(parts_of<type>(work), std::move(options));
        } else if constexpr (fits<type>) {
            type copy(std::forward<Work>(work));
            return create_from(parts_of<type>(copy), std::move(options));
        } else {
            auto large = std::make_unique<type>(std::forward<Work>(work));
            contract made = create_from(large_parts_of<type>(*large), std::move(options));
            static_cast<void>(large.release()); // the group has it now
            return made;
        }
    }

    // A thread's first call of these may allocate, and throw std::bad_alloc. Each runs contracts
    // fairly, or as the bias says that it is given. A thread may change its bias with every call,
    // and different threads may have different ones at the same time.

    /// Runs one contract if one is due: its work, its release, or both. Returns whether it did.
    /// Never waits.
    bool try_execute_next(const selection_bias& bias = {});
    /// Runs up to `most` contracts that are due. Returns how many it ran. Never waits.
    std::size_t execute_some(std::size_t most, const selection_bias& bias = {});
    /// Sleeps until a contract is due, and runs it. Returns false if the group was stopped and has
    /// no contracts left.
    bool execute_next_or_wait(const selection_bias& bias = {});
    /// The same, but also returns false if no contract was due within the timeout.
    template <class Rep, class Period>
    bool execute_next_or_wait(std::chrono::duration<Rep, Period> timeout,
                              const selection_bias& bias = {}) {
        return execute_until(sync::deadline_after(timeout), bias);
    }

    /// Changes the bias of a worker of the group's pool, also while it runs contracts: it
    /// follows the new one after the batch that it is running. From any thread. Workers are fair
    /// until then, or as `contract_group_options::worker_biases` says. Throws
    /// `errc::invalid_argument` if the group has no pool, or its pool no such worker, or
    /// std::bad_alloc; nothing has changed then.
    void set_worker_bias(std::size_t worker, selection_bias bias);
    /// The number of levels below the root of the tree of positions, for a bias by depth: the least
    /// number with leaves for all positions that have been in use.
    [[nodiscard]] unsigned levels() const noexcept;

    /// Returns when nothing is due and nothing runs. The caller drives a group without a pool until
    /// then.
    ///
    /// Throws the exceptions of contracts without a handler: the oldest first, one per call. Throws
    /// `errc::would_deadlock` in a contract of this group and on a worker of its pool, and
    /// `errc::stopped` if the pool was stopped while something was due.
    void wait();

    /// Accepts no new contracts, releases all that exist, and returns when all are gone. `drain`
    /// first runs what is due; `cancel` starts no further run. The caller helps. May be called
    /// again. Throws `errc::would_deadlock` in a contract of this group.
    void stop(on_stop mode = on_stop::drain);

    /// The number of contracts whose release has not ended.
    [[nodiscard]] std::size_t size() const noexcept;
    /// The number of bytes that the group has allocated for contracts, without large callables and
    /// callbacks.
    [[nodiscard]] std::size_t memory() const noexcept;

    // Names from the talk that contracts come from.
    /// As `create`.
    template <detail::contract_work Work>
    [[nodiscard]] contract create_contract(Work&& work) {
        return create(std::forward<Work>(work));
    }
    /// As `create`, with a release callback.
    template <detail::contract_work Work, detail::contract_work Release>
    [[nodiscard]] contract create_contract(Work&& work, Release&& release) {
        return create(std::forward<Work>(work),
                      {.on_release = release_callback{std::forward<Release>(release)}});
    }
    /// As `try_execute_next`.
    bool execute_next_contract(const selection_bias& bias = {}) { return try_execute_next(bias); }

private:
    static constexpr std::size_t storage_size = 40;
    template <class Work>
    static constexpr bool fits = sizeof(Work) <= storage_size && alignof(Work) <= 16;

    template <class Work>
    static detail::contract_parts parts_of(Work& work) {
        return {[](void* storage, contract_token& token) {
                    detail::invoke_contract_work(*static_cast<Work*>(storage), token);
                },
                [](void* storage) noexcept { std::destroy_at(static_cast<Work*>(storage)); },
                [](void* source, void* storage) {
                    ::new (storage) Work(std::move(*static_cast<Work*>(source)));
                },
                &work};
    }
    template <class Work>
    static detail::contract_parts large_parts_of(Work& work) {
        return {
            [](void* storage, contract_token& token) {
                detail::invoke_contract_work(**static_cast<Work**>(storage), token);
            },
            [](void* storage) noexcept { delete *static_cast<Work**>(storage); },
            [](void* source, void* storage) { ::new (storage) Work*(static_cast<Work*>(source)); },
            &work};
    }

    contract create_from(const detail::contract_parts& parts, contract_options options);
    bool execute_until(sync::clock::time_point deadline, const selection_bias& bias);

    std::shared_ptr<detail::contract_core> core_;
};

// Names from the talk that contracts come from.
using work_contract_group = contract_group; ///< The name in the talk.
using work_contract = contract;             ///< The name in the talk.
using work_contract_token = contract_token; ///< The name in the talk.

} // namespace weft::inline v0
