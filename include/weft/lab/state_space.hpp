// The state space of a net: all reachable markings.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/marking_set.hpp>
#include <weft/lab/net.hpp>
#include <weft/lab/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

/// A property that must hold in every marking.
struct safety_property {
    /// Names it in the report of a violation.
    std::string name;
    /// Whether it holds in a marking.
    std::function<bool(const marking_view&)> holds;
};

/// What a search looks for, and when it gives up.
struct space_options {
    /// The search is capped when there are more.
    std::uint64_t most_markings = 200'000'000;
    /// The search is capped when it needs more memory.
    std::size_t most_bytes = std::size_t{4} << 30U;
    /// The search ends at the first violation of one of these.
    std::vector<safety_property> properties{};
    /// Called from time to time with the numbers of markings and arcs.
    std::function<void(std::uint64_t markings, std::uint64_t arcs)> progress{};
};

/// How a search ended.
enum class space_end : std::uint8_t {
    complete,
    capped,    // a limit of markings or memory was reached
    unbounded, // some place can hold any number of tokens
    violated,  // a property does not hold
};

/// The reachability graph. Marking 0 is the initial one; markings are numbered breadth first.
class WEFT_API state_space {
public:
    /// How the search ended.
    [[nodiscard]] space_end end() const { return end_; }
    /// Whether all markings were reached.
    [[nodiscard]] bool complete() const { return end_ == space_end::complete; }
    /// The number of markings found.
    [[nodiscard]] std::uint32_t markings() const { return static_cast<std::uint32_t>(set_.size()); }
    /// The number of firings found.
    [[nodiscard]] std::uint64_t arcs() const { return targets_.size(); }
    /// The approximate memory in bytes, including the values of the net.
    [[nodiscard]] std::size_t bytes() const;

    /// The marking with that number.
    [[nodiscard]] marking marking_at(std::uint32_t number) const;
    /// The same, without an allocation if `unpacked` has been used before.
    void get(std::uint32_t number, marking& unpacked) const { set_.unpack(number, unpacked); }
    /// The targets of the arcs of an expanded marking.
    [[nodiscard]] std::span<const std::uint32_t> targets(std::uint32_t source) const {
        return std::span{targets_}.subspan(first_arc_[source],
                                           first_arc_[source + 1] - first_arc_[source]);
    }
    /// The transitions of these arcs, in the same order.
    [[nodiscard]] std::span<const std::uint16_t> transitions(std::uint32_t source) const {
        return std::span{labels_}.subspan(first_arc_[source],
                                          first_arc_[source + 1] - first_arc_[source]);
    }
    /// The number of markings that were expanded; all, if the space is complete.
    [[nodiscard]] std::uint32_t looked_at() const {
        return static_cast<std::uint32_t>(first_arc_.size() - 1);
    }
    /// The markings of a shortest path from the initial one.
    [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t number) const;
    /// The firings of that path.
    [[nodiscard]] trace firings_to(std::uint32_t number) const;

    /// The reason if the search ended early.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The marking that violates a property or, in an unbounded net, covers an earlier marking.
    [[nodiscard]] std::optional<std::uint32_t> witness() const { return witness_; }
    /// The places that can hold any number of tokens, if the search found that.
    [[nodiscard]] const std::vector<place_index>& unbounded_places() const { return unbounded_; }

    /// The net that was searched.
    [[nodiscard]] petri::net& net() const { return *net_; }

private:
    friend class state_search;
    explicit state_space(petri::net& net) : net_{&net}, set_{net.places().size()}, first_arc_{0} {}

    petri::net* net_;
    marking_set set_;
    std::vector<std::uint32_t> parents_;
    std::vector<std::uint64_t> first_arc_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint16_t> labels_;
    space_end end_ = space_end::complete;
    std::string reason_;
    std::optional<std::uint32_t> witness_;
    std::vector<place_index> unbounded_;
};

/// Searches breadth first until all markings are reached or the search ends early. The net must
/// outlive the result.
[[nodiscard]] WEFT_API state_space explore(net& net, const space_options& options = {});

} // namespace weft::inline v0::petri
