// Stages that wait for each other in a circle.
#pragma once

#include <weft/detail/stage/stage_core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inline v0::detail {

/// Whether a run that is about to wait for room would wait for ever.
///
/// A stage is *stuck* if its budget is used up by runs that wait for room: then none of its items
/// may begin. If a place is free, what is queued may, and if nothing is queued, what is pushed. A
/// set of stages in which each is stuck, and each of its runs waits
/// for one of the set, never goes on: only a run of the set could make room in it.
///
/// The search collects the stuck stages that the target leads to, takes away those with a run that
/// may go on, until no more are taken away, and looks whether the target is left. As runs may go on
/// while it looks, it looks until nothing has changed between two looks: all of it was true at
/// once, and as it can never change, it is true. Two runs that close a circle at the same time both
/// announce before they search, with a fence between: at least one of them finds it; if both do,
/// both pushes fail.
class circle_search {
public:
    /// A run of `pusher` has announced that it waits for room in `target`.
    circle_search(const stage_core& pusher, const stage_core& target) noexcept
        : pusher_{pusher}, target_{target} {}

    /// The names of the stages of the circle, "a -> b -> a"; empty if there is none. Throws
    /// std::bad_alloc.
    [[nodiscard]] std::string find();

private:
    struct run_seen {
        const parked_run* run;
        std::vector<std::uint64_t> words;
        friend bool operator==(const run_seen&, const run_seen&) = default;
    };
    struct stage_seen {
        const stage_core* stage;
        std::uint32_t active;
        std::vector<run_seen> runs;
        friend bool operator==(const stage_seen&, const stage_seen&) = default;
    };

    [[nodiscard]] bool collect(std::vector<stage_seen>& found) const;
    [[nodiscard]] static bool is_stuck(const stage_core& stage, stage_seen& seen);
    static void remove_those_that_go_on(std::vector<stage_seen>& found);
    [[nodiscard]] static bool is_in(const std::vector<stage_seen>& found, std::uint32_t index);
    [[nodiscard]] std::string describe(const std::vector<stage_seen>& found) const;

    const stage_core& pusher_;
    const stage_core& target_;
};

} // namespace weft::inline v0::detail
