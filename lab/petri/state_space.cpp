#include <weft/lab/state_space.hpp>

#include "petri/boundedness.hpp"
#include "petri/plain_rules.hpp"
#include <weft/lab/firing.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace weft::inline v0::petri {

/// One search. The successors of a marking are first collected in packed form, then looked up
/// together, so that memory is prefetched for all of them.
class state_search {
public:
    state_search(net& net, const space_options& options)
        : net_{&net}, options_{&options}, space_{net}, firing_{net}, plain_{net.is_plain()},
          watch_growth_{!net.has_inhibitors() && !is_structurally_bounded(net)} {
        if (net.transitions().size() > std::numeric_limits<std::uint16_t>::max()) {
            throw error{fault::bad_net, "more than 65535 transitions"};
        }
        if (plain_) rules_ = rules_of(net);
    }

    state_space run() && {
        add_initial();
        for (std::uint32_t number = 0; number != space_.set_.size() && going_on(); ++number) {
            space_.set_.unpack(number, now_);
            while (const auto narrow = plain_ ? collect_plain(number) : collect(number)) {
                space_.set_.widen(*narrow);
            }
            if (!ended_) look_up(number);
            if (!ended_) space_.first_arc_.push_back(space_.targets_.size());
        }
        return std::move(space_);
    }

private:
    struct way_point {
        std::uint32_t depth = 0;
        std::uint32_t checkpoint = 0;
    };

    void add_initial() {
        now_ = net_->initial();
        packed_.resize(space_.set_.stride());
        while (const auto narrow = space_.set_.pack(now_, packed_.data())) {
            space_.set_.widen(*narrow);
            packed_.resize(space_.set_.stride());
        }
        space_.set_.insert(packed_.data(), space_.set_.hash(packed_.data()));
        space_.parents_.push_back(0);
        check(0, packed_.data());
    }

    void finish_capped() {
        finish(space_end::capped, "more than " + std::to_string(options_->most_bytes) + " bytes");
    }

    bool going_on() {
        if (ended_) return false;
        constexpr std::size_t progress_interval = 1U << 16U;
        if (options_->progress && space_.looked_at() % progress_interval == 0) {
            options_->progress(space_.set_.size(), space_.targets_.size());
        }
        if (space_.set_.size() >= options_->most_markings) {
            finish(space_end::capped,
                   "more than " + std::to_string(options_->most_markings) + " markings");
        } else if (space_.bytes() + growth() > options_->most_bytes) {
            finish_capped();
        }
        return !ended_;
    }

    /// The additional memory if the vectors and the index had to grow now.
    [[nodiscard]] std::size_t growth() const {
        const auto doubled = [](const auto& all) {
            const bool is_full = all.capacity() - all.size() < 4096;
            return is_full ? all.capacity() * 2 * sizeof(all.front()) : 0;
        };
        return doubled(space_.targets_) + doubled(space_.labels_) + doubled(space_.parents_) +
               doubled(space_.first_arc_) + doubled(ways_) + ways_.capacity() * sizeof(way_point) +
               space_.set_.growth();
    }

    void finish(space_end end, std::string reason) {
        ended_ = true;
        space_.end_ = end;
        space_.reason_ = std::move(reason);
    }

    /// Collects the successors. Returns the place whose number does not fit its field, if any.
    std::optional<place_index> collect_plain(std::uint32_t number) {
        clear();
        const std::size_t stride = space_.set_.stride();
        const std::byte* packed = space_.set_.packed(number);
        for (std::size_t transition = 0; transition != rules_.size(); ++transition) {
            const plain_rule& rule = rules_[transition];
            if (!rule.is_enabled(now_)) continue;
            std::byte* successor = room_for(stride);
            std::memcpy(successor, packed, stride);
            found_.push_back(static_cast<std::uint16_t>(transition));
            for (const auto& [place, change] : rule.changes) {
                const content value = more_tokens(*net_, place, now_[place], change);
                if (!space_.set_.set_field(successor, place, value)) return place;
            }
        }
        return {};
    }

    std::optional<place_index> collect(std::uint32_t /*number*/) {
        clear();
        std::optional<place_index> narrow;
        for (std::size_t transition = 0;
             transition != net_->transitions().size() && !narrow && !ended_; ++transition) {
            firing_.for_each(now_, static_cast<transition_index>(transition),
                             [&](binding, const marking& after) {
                                 found_.push_back(static_cast<std::uint16_t>(transition));
                                 narrow = space_.set_.pack(after, room_for(space_.set_.stride()));
                                 const bool look = found_.size() % 1024 == 0;
                                 if (look && space_.bytes() + used_ > options_->most_bytes)
                                     finish_capped();
                                 return !narrow && !ended_;
                             });
        }
        return narrow;
    }

    void clear() {
        used_ = 0;
        found_.clear();
    }

    std::byte* room_for(std::size_t stride) {
        if (packed_.size() < used_ + stride) packed_.resize((used_ + stride) * 2);
        used_ += stride;
        return packed_.data() + used_ - stride;
    }

    void look_up(std::uint32_t source) {
        marking_set& set = space_.set_;
        const std::size_t stride = set.stride();
        hashes_.resize(found_.size());
        for (std::size_t each = 0; each != found_.size(); ++each) {
            hashes_[each] = set.hash(packed_.data() + each * stride);
            set.prefetch_slot(hashes_[each]);
        }
        for (const std::uint32_t hash : hashes_) set.prefetch_marking(hash);
        for (std::size_t each = 0; each != found_.size() && !ended_; ++each) {
            const std::byte* packed = packed_.data() + each * stride;
            const auto [target, is_new] = set.insert(packed, hashes_[each]);
            space_.targets_.push_back(target);
            space_.labels_.push_back(found_[each]);
            if (!is_new) continue;
            space_.parents_.push_back(source);
            check(target, packed);
        }
    }

    void check(std::uint32_t number, const std::byte* /*packed*/) {
        if (!watch_growth_ && options_->properties.empty()) return;
        space_.set_.unpack(number, fresh_);
        for (const safety_property& each : options_->properties) {
            if (each.holds(marking_view{*net_, fresh_})) continue;
            finish(space_end::violated, "'" + each.name + "' does not hold");
            space_.witness_ = number;
            return;
        }
        if (watch_growth_) check_growth(number);
    }

    /// A marking that covers a predecessor on its path can be repeated forever. It is compared with
    /// the nearest predecessors and with those whose depth is a power of two. An unbounded net has
    /// an infinite branch in the tree of parents; among its markings at these depths one covers an
    /// earlier one (Dickson's lemma), so growth is found.
    void check_growth(std::uint32_t number) {
        constexpr int nearest = 64;
        ways_.push_back(way_to(number));
        std::uint32_t above = number;
        for (int step = 0; step != nearest && above != 0 && !ended_; ++step) {
            above = space_.parents_[above];
            compare(number, above);
        }
        while (above != 0 && !ended_) {
            above = ways_[above].checkpoint;
            compare(number, above);
        }
    }

    /// The nearest predecessor at a depth that is a power of two, or the initial marking.
    [[nodiscard]] way_point way_to(std::uint32_t number) const {
        if (number == 0) return {};
        const std::uint32_t parent = space_.parents_[number];
        const way_point& above = ways_[parent];
        return {above.depth + 1, std::has_single_bit(above.depth) ? parent : above.checkpoint};
    }

    void compare(std::uint32_t number, std::uint32_t above) {
        space_.set_.unpack(above, earlier_);
        auto grown = places_that_grew(*net_, earlier_, fresh_);
        if (grown.empty()) return;
        std::string names;
        for (const place_index each : grown) {
            names += (names.empty() ? "'" : ", '") + net_->places()[each].name + "'";
        }
        finish(space_end::unbounded, "unbounded: " + names);
        space_.witness_ = number;
        space_.unbounded_ = std::move(grown);
    }

    net* net_;
    const space_options* options_;
    state_space space_;
    firing firing_;
    bool plain_;
    bool watch_growth_;
    bool ended_ = false;
    std::vector<plain_rule> rules_;
    std::vector<way_point> ways_; // for each marking, if growth is checked
    marking now_;
    marking fresh_;
    marking earlier_;
    std::vector<std::byte> packed_;
    std::size_t used_ = 0;
    std::vector<std::uint16_t> found_;
    std::vector<std::uint32_t> hashes_;
};

state_space explore(net& net, const space_options& options) {
    return state_search{net, options}.run();
}

std::size_t state_space::bytes() const {
    return set_.bytes() + parents_.capacity() * sizeof(std::uint32_t) +
           first_arc_.capacity() * sizeof(std::uint64_t) +
           targets_.capacity() * sizeof(std::uint32_t) +
           labels_.capacity() * sizeof(std::uint16_t) + net_->value_bytes();
}

marking state_space::marking_at(std::uint32_t number) const {
    marking found;
    set_.unpack(number, found);
    return found;
}

std::vector<std::uint32_t> state_space::path_to(std::uint32_t number) const {
    std::vector<std::uint32_t> path{number};
    while (path.back() != 0) path.push_back(parents_[path.back()]);
    std::ranges::reverse(path);
    return path;
}

trace state_space::firings_to(std::uint32_t number) const {
    const auto path = path_to(number);
    firing firing{*net_};
    trace way;
    for (std::size_t step = 1; step < path.size(); ++step) {
        const marking before = marking_at(path[step - 1]);
        const marking wanted = marking_at(path[step]);
        bool searching = true;
        for (transition_index transition = 0; searching && transition != net_->transitions().size();
             ++transition) {
            searching =
                firing.for_each(before, transition, [&](binding values, const marking& after) {
                    if (after != wanted) return true;
                    way.steps.push_back({{net_->transitions()[transition].name,
                                          net_->binding_text(transition, values)}});
                    return false;
                });
        }
    }
    return way;
}

} // namespace weft::inline v0::petri
