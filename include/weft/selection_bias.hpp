// What a thread takes first: of the signals of a tree, or of the contracts of a group.
#pragma once

#include <weft/priority.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

namespace detail {

/// A function of the depth, of any type.
class path_function {
public:
    path_function() = default;
    path_function(const path_function&) = delete;
    path_function& operator=(const path_function&) = delete;
    virtual ~path_function() = default;
    [[nodiscard]] virtual bool goes_right(unsigned depth, std::uint64_t turn) noexcept = 0;
};

template <class Function>
concept depth_function =
    std::move_constructible<std::decay_t<Function>> &&
    (std::is_nothrow_invocable_r_v<bool, std::decay_t<Function>&, unsigned> ||
     std::is_nothrow_invocable_r_v<bool, std::decay_t<Function>&, unsigned, std::uint64_t>);

} // namespace detail

/// What a thread takes first when it selects a signal of a `signal_tree`, or executes contracts of
/// a `contract_group`. A bias is a value: it belongs to a thread or to a single call, not to the
/// tree or group, and different threads may use different ones at the same time.
///
/// A bias decides about the order only, never whether something is found: a thread that finds
/// nothing of what it prefers takes something else, as without a bias.
///
/// Every bias but `fair` takes one turn in 16 fairly, even if there is something that it prefers.
/// So what is not preferred waits longer, but does not starve. `fair_turn_in` changes the number,
/// and `strict` switches it off.
class selection_bias {
public:
    /// Fair: all that is set gets its turn before anything gets a second one.
    constexpr selection_bias() noexcept = default;
    /// The same.
    [[nodiscard]] static selection_bias fair() noexcept { return {}; }

    /// Contracts of this priority before the others, fairly among themselves. In a tree of signals,
    /// which have no priorities, the same as `fair`.
    [[nodiscard]] static selection_bias prefer(priority level) noexcept {
        selection_bias made{kind::priority};
        made.first_ = static_cast<std::size_t>(level);
        return made;
    }
    /// Signals, or contracts by their position, from `first` to `last - 1` before the others,
    /// fairly among themselves. An empty range is the same as `fair`.
    [[nodiscard]] static selection_bias prefer(std::size_t first, std::size_t last) noexcept {
        selection_bias made{first < last ? kind::range : kind::fair};
        made.first_ = first;
        made.last_ = last;
        return made;
    }

    /// By a function of the depth. The numbers of the signals, or the positions of the contracts,
    /// are the leaves of a perfect binary tree whose root has depth 0. At each node on the way from
    /// the root to a leaf, `goes_right(depth)` or `goes_right(depth, turn)` says which half to
    /// take; if nothing is set there, the other is taken. `turn` is the number of selections that
    /// the thread has made before. If the function always says the same, one signal that is always
    /// set is taken each time; with `turn >> depth & 1`, each half gets its share.
    ///
    /// The function is called once for each level and turn, by the thread that selects, must not
    /// throw (one that is not `noexcept` does not compile), and must not use the tree or group.
    /// Copies of a bias share one function; if several threads use it at once, it must allow that.
    /// Throws std::bad_alloc, and what moving the function throws.
    template <detail::depth_function Function>
    [[nodiscard]] static selection_bias by_depth(Function&& goes_right) {
        selection_bias made{kind::path};
        made.function_ = std::make_shared<function_of<std::decay_t<Function>>>(
            std::decay_t<Function>(std::forward<Function>(goes_right)));
        return made;
    }

    /// The same bias, with one fair turn in `turns`; 0: none, 1: all.
    [[nodiscard]] selection_bias fair_turn_in(unsigned turns) const& noexcept {
        selection_bias made{*this};
        made.turns_ = turns;
        return made;
    }
    /// As above.
    [[nodiscard]] selection_bias fair_turn_in(unsigned turns) && noexcept {
        turns_ = turns;
        return std::move(*this);
    }
    /// The same bias without fair turns: as long as something that this thread prefers is always
    /// set, it takes nothing else. What is left waits for other threads.
    [[nodiscard]] selection_bias strict() const& noexcept { return fair_turn_in(0); }
    /// As above.
    [[nodiscard]] selection_bias strict() && noexcept { return std::move(*this).fair_turn_in(0); }

    // For weft's own use.

    /// What is preferred.
    enum class kind : std::uint8_t {
        fair,     ///< nothing
        priority, ///< a priority
        range,    ///< a range
        path,     ///< what a function leads to
    };
    /// Whether nothing is preferred.
    [[nodiscard]] bool is_fair() const noexcept { return kind_ == kind::fair; }
    /// What is preferred in this turn of a thread.
    [[nodiscard]] kind kind_in(std::uint64_t turn) const noexcept {
        if (kind_ == kind::fair || (turns_ != 0 && turn % turns_ == turns_ - 1)) return kind::fair;
        return kind_;
    }
    /// The preferred priority.
    [[nodiscard]] priority level() const noexcept { return static_cast<priority>(first_); }
    /// The beginning of the preferred range.
    [[nodiscard]] std::size_t first() const noexcept { return first_; }
    /// The end of the preferred range.
    [[nodiscard]] std::size_t last() const noexcept { return last_; }
    /// The leaf that the function leads to in a tree of so many levels, where all is set.
    [[nodiscard]] std::size_t target(unsigned levels, std::uint64_t turn) const noexcept {
        std::size_t found = 0;
        for (unsigned depth = 0; depth < levels; ++depth) {
            found = found << 1 | (function_->goes_right(depth, turn) ? 1 : 0);
        }
        return found;
    }

private:
    static constexpr unsigned usual_turns = 16;

    template <class Function>
    class function_of final : public detail::path_function {
    public:
        explicit function_of(Function&& other) : function_(std::move(other)) {}
        [[nodiscard]] bool goes_right(unsigned depth, std::uint64_t turn) noexcept override {
            if constexpr (std::is_nothrow_invocable_r_v<bool, Function&, unsigned, std::uint64_t>) {
                return function_(depth, turn);
            } else {
                static_cast<void>(turn);
                return function_(depth);
            }
        }

    private:
        Function function_;
    };

    explicit selection_bias(kind preferred) noexcept : kind_{preferred} {}

    kind kind_ = kind::fair;
    unsigned turns_ = usual_turns;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::shared_ptr<detail::path_function> function_;
};

} // namespace weft::inline v0
