// A coroutine's wait for several tasks that run at the same time.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/coroutine/chain.hpp>
#include <weft/detail/coroutine/requests.hpp>
#include <weft/detail/coroutine/waits.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/error.hpp>
#include <weft/nothing.hpp>

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft::inline v0 {

template <class T>
class first_result;

namespace detail {

template <class T>
using value_or_nothing =
    std::conditional_t<std::is_void_v<T>, nothing,
                       std::conditional_t<std::is_reference_v<T>,
                                          std::reference_wrapper<std::remove_reference_t<T>>, T>>;

template <class T>
value_or_nothing<T> take_value(promise<T>& ended) {
    if constexpr (std::is_void_v<T>) {
        ended.take();
        return {};
    } else {
        return ended.take();
    }
}

class branch_group;

/// One of the tasks: a chain of its own.
class WEFT_API branch final : public task, public chain {
public:
    branch(branch_group& whole, std::size_t position, frame_head& root) noexcept;
    branch(const branch&) = delete;
    branch& operator=(const branch&) = delete;
    /// Its frame, if it has one, has ended, or has not begun.
    ~branch();
    /// The frame; null if it was not run.
    [[nodiscard]] frame_head* root() const noexcept { return root_; }
    [[nodiscard]] const std::exception_ptr& unrun() const noexcept { return unrun_; }

private:
    task& node() noexcept override { return *this; }
    void finish(frame_head& root) noexcept override;
    void finish_unrun(errc reason, const failure_collection& cause) noexcept override;

    branch_group* group_;
    frame_head* root_;
    std::exception_ptr unrun_;
    const std::size_t index_;
};

/// What the branches of one wait share; in the frame of the coroutine that waits.
///
/// | operation | caller                                           | progress      |
/// |-----------|--------------------------------------------------|---------------|
/// | begin     | the coroutine's thread, once                     | lock-free |
/// | ended     | the thread that ends a branch, once for each     | that of `std::stop_source` |
/// | leave     | the coroutine, when it continues                 | waits for a stop request that is under way |
///
/// Invariants
///  BG1  It is over when all branches have ended and `begin` has made them all known: once. The
///       last of these resumes the coroutine; `begin` by returning false.
///  BG2  What a branch did happens before the coroutine goes on.
///  BG3  `first` is the first branch that decided: of `all` the first that failed, of `any` the
///       first that ended. The others are asked to stop then.
class WEFT_API branch_group {
public:
    enum class mode : std::uint8_t { all, any };

    branch_group(frame_head& waiter, mode deciding) noexcept : waiter_{&waiter}, mode_{deciding} {}
    branch_group(const branch_group&) = delete;
    branch_group& operator=(const branch_group&) = delete;

    /// Throws `cancelled`, and std::bad_alloc.
    void prepare(std::size_t count, const char* call);
    /// Makes the branches known, the first of them last: it runs next. True if the coroutine is
    /// suspended.
    [[nodiscard]] bool begin(std::optional<branch>* branches, std::size_t count) noexcept;
    void ended(std::size_t index, bool failed) noexcept;
    /// After the wait: no stop request of the coroutine is under way.
    void leave() noexcept { stop_link_.reset(); }

    [[nodiscard]] std::size_t first() const noexcept { return first_.load(sync::relaxed); } // BG2
    [[nodiscard]] frame_head& waiter() const noexcept { return *waiter_; }
    [[nodiscard]] chain::context context() const noexcept;

    /// Its own copy, since the branches may end by it, and then the group.
    void operator()() noexcept { std::stop_source{*stop_}.request_stop(); }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

private:
    [[nodiscard]] bool arrive() noexcept {
        // BG2: release for what came before, acquire for the last to have it all [BRANCH-1]
        return pending_.fetch_sub(1, sync::acq_rel) == 1;
    }

    frame_head* waiter_;
    std::optional<std::stop_source> stop_;
    stop_link<branch_group> stop_link_;
    sync::atomic<std::size_t> pending_{1};
    sync::atomic<std::size_t> first_{none};
    mode mode_;
};

/// The part of the waits below that does not depend on what they return.
template <class Branches>
class group_wait {
public:
    group_wait(const group_wait&) = delete;
    group_wait& operator=(const group_wait&) = delete;

    [[nodiscard]] bool await_ready() {
        group_.prepare(size(), call_);
        return size() == 0;
    }
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        return group_.begin(branches_.data(), size());
    }

protected:
    group_wait(frame_head& waiter, branch_group::mode deciding, const char* call) noexcept
        : group_{waiter, deciding}, call_{call} {}
    ~group_wait() = default;

    [[nodiscard]] std::size_t size() const noexcept { return branches_.size(); }
    template <class T>
    void add(std::size_t index, weft::task<T>& child) {
        branches_[index].emplace(group_, index, task_access::take(child, call_));
    }
    /// Throws if the branch that decided failed.
    void require_success() {
        group_.leave();
        const std::size_t first = group_.first();
        if (first == branch_group::none) return;
        const branch& decided = *branches_[first];
        if (decided.unrun()) std::rethrow_exception(decided.unrun());
        if (decided.root()->failure) std::rethrow_exception(std::move(decided.root()->failure));
    }
    template <class T>
    [[nodiscard]] value_or_nothing<T> take(std::size_t index) {
        return take_value(static_cast<promise<T>&>(*branches_[index]->root()));
    }
    void resize(std::size_t count)
        requires(!std::is_aggregate_v<Branches>)
    {
        branches_.resize(count);
    }
    [[nodiscard]] std::size_t first() const noexcept { return group_.first(); }

private:
    branch_group group_;
    Branches branches_;
    const char* call_;
};

/// Any number of branches, which stay where they are.
class branch_array {
public:
    void resize(std::size_t count) {
        all_ = std::make_unique<std::optional<branch>[]>(count);
        count_ = count;
    }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] std::optional<branch>* data() const noexcept { return all_.get(); }
    [[nodiscard]] std::optional<branch>& operator[](std::size_t index) const noexcept {
        return all_[index];
    }

private:
    std::unique_ptr<std::optional<branch>[]> all_;
    std::size_t count_ = 0;
};

template <class... T>
class all_wait final : public group_wait<std::array<std::optional<branch>, sizeof...(T)>> {
    using base = group_wait<std::array<std::optional<branch>, sizeof...(T)>>;

public:
    all_wait(frame_head& waiter, all_request<T...>& asked)
        : base{waiter, branch_group::mode::all, "weft::when_all"} {
        std::size_t index = 0;
        std::apply([&](auto&... child) { (this->add(index++, child), ...); }, asked.tasks);
    }
    std::tuple<value_or_nothing<T>...> await_resume() {
        this->require_success();
        return take_each(std::index_sequence_for<T...>{});
    }

private:
    template <std::size_t... Index>
    auto take_each(std::index_sequence<Index...> /*all*/) {
        return std::tuple<value_or_nothing<T>...>{this->template take<T>(Index)...};
    }
};

template <class T>
class all_range_wait final : public group_wait<branch_array> {
public:
    all_range_wait(frame_head& waiter, all_range_request<T>& asked)
        : group_wait{waiter, branch_group::mode::all, "weft::when_all"} {
        resize(asked.tasks.size());
        for (std::size_t i = 0; i < asked.tasks.size(); ++i) add(i, asked.tasks[i]);
    }
    std::conditional_t<std::is_void_v<T>, void, std::vector<value_or_nothing<T>>> await_resume() {
        require_success();
        if constexpr (!std::is_void_v<T>) {
            std::vector<value_or_nothing<T>> results;
            results.reserve(size());
            for (std::size_t i = 0; i < size(); ++i) results.push_back(take<T>(i));
            return results;
        }
    }
};

template <class... T>
class any_wait final : public group_wait<std::array<std::optional<branch>, sizeof...(T)>> {
    using base = group_wait<std::array<std::optional<branch>, sizeof...(T)>>;

public:
    using result = std::variant<value_or_nothing<T>...>;
    any_wait(frame_head& waiter, any_request<T...>& asked)
        : base{waiter, branch_group::mode::any, "weft::when_any"} {
        std::size_t index = 0;
        std::apply([&](auto&... child) { (this->add(index++, child), ...); }, asked.tasks);
    }
    first_result<result> await_resume() {
        this->require_success();
        return {this->first(), take_first(std::index_sequence_for<T...>{})};
    }

private:
    template <std::size_t... Index>
    result take_first(std::index_sequence<Index...> /*all*/) {
        std::optional<result> found;
        (static_cast<void>(
             Index == this->first() &&
             (found.emplace(std::in_place_index<Index>, this->template take<T>(Index)), true)),
         ...);
        return std::move(*found);
    }
};

template <class T>
class any_range_wait final : public group_wait<branch_array> {
public:
    any_range_wait(frame_head& waiter, any_range_request<T>& asked)
        : group_wait{waiter, branch_group::mode::any, "weft::when_any"} {
        if (asked.tasks.empty()) throw error{errc::invalid_argument, "weft::when_any"};
        resize(asked.tasks.size());
        for (std::size_t i = 0; i < asked.tasks.size(); ++i) add(i, asked.tasks[i]);
    }
    first_result<value_or_nothing<T>> await_resume() {
        require_success();
        return {first(), take<T>(first())};
    }
};

} // namespace detail
} // namespace weft::inline v0
