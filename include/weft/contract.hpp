// Contracts: work that is run whenever it is signalled, and never beside itself.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>

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

/// The work of a contract on its way to its place: `move` puts it there, or a pointer to it if it is
/// large.
struct contract_record;
struct contract_parts {
    void (*run)(void* storage, contract_token& token);
    void (*destroy)(void* storage) noexcept;
    void (*move)(void* from, void* storage); // may throw; nothing has changed then
    void* work;
};

} // namespace detail

/// What is called when a contract has been released: with a `contract_token&` or without.
class release_callback {
public:
    /// None.
    release_callback() noexcept = default;
    /// None.
    release_callback(std::nullptr_t) noexcept {}
    /// Of any callable, move-only ones too.
    template <class Callback>
        requires(!std::same_as<std::decay_t<Callback>, release_callback> &&
                 detail::contract_work<Callback>)
    release_callback(Callback&& callback)
        : callback_{std::make_unique<holder<std::decay_t<Callback>>>(
              std::decay_t<Callback>(std::forward<Callback>(callback)))} {}

    /// There is one.
    explicit operator bool() const noexcept { return callback_ != nullptr; }
    /// Only if there is one.
    void operator()(contract_token& token) { callback_->call(token); }

private:
    struct base {
        virtual ~base() = default;
        virtual void call(contract_token& token) = 0;
    };
    template <class Callback>
    struct holder final : base {
        explicit holder(Callback&& from) : callback(std::move(from)) {}
        void call(contract_token& token) override { detail::invoke_contract_work(callback, token); }
        Callback callback;
    };
    std::unique_ptr<base> callback_;
};

/// How a contract is made.
struct contract_options {
    /// Called once, by a worker, after the last run: after release, or at the group's end.
    release_callback on_release = {};
    /// Receives what the work or the release callback throws. Without it the group does. It must not
    /// throw itself.
    std::function<void(std::exception_ptr)> on_error = {};
    /// Where all classes have much to do, they get turns as 16 to 4 to 1; a class that has nothing to do
    /// leaves its turns to the others.
    weft::priority priority = weft::priority::normal;
    /// Scheduled from the beginning.
    bool scheduled = false;
};

/// A contract's owner. Going out of scope releases it. It may outlive the group: it does nothing
/// then. `schedule`, `release`, `valid` and `set_priority` may be called by several threads at once.
class WEFT_API contract {
public:
    /// Of no contract: `valid` is false, and nothing happens.
    contract() noexcept = default;
    /// The other one has no contract then.
    contract(contract&& other) noexcept
        : core_{std::move(other.core_)}, index_{std::exchange(other.index_, 0)} {}
    /// What this was the owner of before is released.
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

    /// The work is run once more: a run that begins after this call and has what came before it.
    /// Calls that come before that run was chosen, alone or among a few of its neighbours, are
    /// answered by the same run; one that comes between that and its beginning may lead to another run.
    /// Takes no lock, and wakes one thread at most, of those who execute by hand and of the pool's
    /// workers, if there are both, one each. False if the contract is being released, and then no run
    /// is promised.
    bool schedule() const noexcept;

    /// What was scheduled is run, then the release callback, and then the work is destroyed; all of
    /// it by a worker, some time. True for the first call.
    bool release() const noexcept;

    /// There is a contract, and nobody has released it.
    [[nodiscard]] bool valid() const noexcept;
    /// The same as `valid`.
    explicit operator bool() const noexcept { return valid(); }

    /// Also takes effect for a run that is due.
    void set_priority(priority next) const noexcept;

private:
    friend class contract_group;
    contract(std::shared_ptr<detail::contract_core> core, std::uint32_t index) noexcept
        : core_{std::move(core)}, index_{index} {}
    void drop() noexcept;

    std::shared_ptr<detail::contract_core> core_;
    std::uint32_t index_ = 0;
};

/// The contract that runs, for use inside its work. Not to be kept.
class WEFT_API contract_token {
public:
    contract_token(const contract_token&) = delete;
    contract_token& operator=(const contract_token&) = delete;

    /// Run once more, after this run, also if somebody else releases the contract meanwhile. False if
    /// it is being released already.
    bool schedule() noexcept {
        if (is_closing()) return false;
        *again_ |= bit_;
        return true;
    }
    /// As contract::release. What this run has scheduled before is run first.
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

/// How a group is made.
struct contract_group_options {
    /// The pool whose workers run the contracts. Without one, threads call `execute_…`.
    pool* on = nullptr;
    /// The most contracts that may exist at once; 0: as many as there is memory for. One that was
    /// released still counts while there is a handle to it.
    std::size_t limit = 0;
    /// Room for that many is made at once.
    std::size_t reserve = 0;
    /// Receives what contracts without a handler throw. Without it `wait` does. It must not throw
    /// itself.
    std::function<void(std::exception_ptr)> on_error = {};
    /// What the destructor does with runs that are due.
    on_stop at_end = on_stop::drain;
};

/// Contracts, and those who run them.
///
/// A group on a pool is served by the pool's workers, which sleep when nothing is due. The pool
/// outlives the group. Any other group is driven by threads that call `try_execute_next`,
/// `execute_some` or `execute_next_or_wait`; between these calls no thread holds anything back.
class WEFT_API contract_group {
public:
    /// Driven by hand, without a limit.
    contract_group() : contract_group(contract_group_options{}) {}
    /// Served by the workers of the pool.
    explicit contract_group(pool& on) : contract_group(contract_group_options{.on = &on}) {}
    /// With a limit, driven by hand.
    explicit contract_group(std::size_t limit)
        : contract_group(contract_group_options{.limit = limit, .reserve = limit}) {}
    /// Throws std::bad_alloc, or `errc::full` if the pool has no place for another group.
    explicit contract_group(contract_group_options how);
    /// Stops as the options say. What contracts threw and nobody has asked for goes to the pool's
    /// `on_error`; without that it ends the program. So does the end of a group in one of its contracts.
    ~contract_group();
    contract_group(const contract_group&) = delete;
    contract_group& operator=(const contract_group&) = delete;

    /// A contract for `work`, which is called with a `contract_token&` or without. Throws
    /// `errc::full` beyond the group's limit, `errc::stopped` once the group was stopped,
    /// std::bad_alloc, and what moving the work throws; nothing has changed then.
    template <detail::contract_work Work>
    [[nodiscard]] contract create(Work&& work, contract_options how = {}) {
        using type = std::decay_t<Work>;
        if constexpr (std::same_as<type, Work> && fits<type>) {
            return create_from(parts_of<type>(work), std::move(how));
        } else if constexpr (fits<type>) {
            type copy(std::forward<Work>(work));
            return create_from(parts_of<type>(copy), std::move(how));
        } else {
            auto large = std::make_unique<type>(std::forward<Work>(work));
            contract made = create_from(large_parts_of<type>(*large), std::move(how));
            static_cast<void>(large.release()); // its place has it now
            return made;
        }
    }

    // Those who execute need a seat in the group: std::bad_alloc if there is no memory for another one.
    // It is kept for the thread's next call.

    /// Runs one contract, if one is due, and says whether: its work or its release. Never waits.
    bool try_execute_next();
    /// Runs up to `most`, and says how many.
    std::size_t execute_some(std::size_t most);
    /// Runs one, waiting until one is due. False if the group was stopped and has no more.
    bool execute_next_or_wait();
    /// False also if nothing was due in time.
    template <class Rep, class Period>
    bool execute_next_or_wait(std::chrono::duration<Rep, Period> patience) {
        return execute_until(sync::deadline_after(patience));
    }

    /// Returns when nothing is due and nothing runs; a group without a pool is driven by the caller
    /// until then. Throws what a contract without a handler threw, the oldest first, one for each
    /// call; if there is no memory to keep it, the program ends. From a contract of this group or from
    /// a worker of its pool: `errc::would_deadlock`. If the pool was stopped before all was run:
    /// `errc::stopped`.
    void wait();

    /// Takes no more contracts, releases those that exist, and returns when all are gone. `drain`
    /// first runs what is due; `cancel` does not, and begins no further run. The caller helps. May be
    /// called again; not from a contract of this group: `errc::would_deadlock`.
    void stop(on_stop how = on_stop::drain);

    /// Contracts whose release callback has not ended.
    [[nodiscard]] std::size_t size() const noexcept;
    /// Bytes that the group has allocated for contracts, without large works and callbacks.
    [[nodiscard]] std::size_t memory() const noexcept;

    // The names of the talk that contracts come from.
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
    bool execute_next_contract() { return try_execute_next(); }

private:
    static constexpr std::size_t small = 40;
    template <class Work>
    static constexpr bool fits = sizeof(Work) <= small && alignof(Work) <= 16;

    template <class Work>
    static detail::contract_parts parts_of(Work& work) {
        return {[](void* storage, contract_token& token) {
                    detail::invoke_contract_work(*static_cast<Work*>(storage), token);
                },
                [](void* storage) noexcept { std::destroy_at(static_cast<Work*>(storage)); },
                [](void* from, void* storage) {
                    ::new (storage) Work(std::move(*static_cast<Work*>(from)));
                },
                &work};
    }
    template <class Work>
    static detail::contract_parts large_parts_of(Work& work) {
        return {[](void* storage, contract_token& token) {
                    detail::invoke_contract_work(**static_cast<Work**>(storage), token);
                },
                [](void* storage) noexcept { delete *static_cast<Work**>(storage); },
                [](void* from, void* storage) { ::new (storage) Work*(static_cast<Work*>(from)); },
                &work};
    }

    contract create_from(const detail::contract_parts& parts, contract_options how);
    bool execute_until(sync::clock::time_point deadline);

    std::shared_ptr<detail::contract_core> core_;
};

// The names of the talk that contracts come from.
using work_contract_group = contract_group; ///< its name in the talk
using work_contract = contract;             ///< its name in the talk
using work_contract_token = contract_token; ///< its name in the talk

} // namespace weft::inline v0
