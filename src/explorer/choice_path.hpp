// The decisions of one execution, and the way from one execution to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::inline v0::explorer::detail {

/// A list of decisions, each with its number of alternatives. Following it repeats the execution;
/// past its end every decision is the first alternative. Depth-first search changes the last
/// decision that has an alternative left and forgets what came after it.
class choice_path {
public:
    /// Back to the first decision.
    void rewind() noexcept { position_ = 0; }
    void clear() noexcept {
        decisions_.clear();
        position_ = 0;
        diverged_ = false;
    }

    /// The next decision. `alternatives` may be smaller than the number of possibilities: the
    /// others are never tried, but the decision is recorded nevertheless, so that a path means the
    /// same under other bounds.
    unsigned next(unsigned alternatives) {
        if (position_ == decisions_.size()) decisions_.push_back({0, narrow(alternatives)});
        const decision& found = decisions_[position_++];
        if (found.alternatives != alternatives) diverged_ = true;
        return found.chosen < alternatives ? found.chosen : 0;
    }

    /// The next decision of a path that was made under other bounds; it stays as it is.
    unsigned follow(unsigned alternatives) {
        if (position_ == decisions_.size()) return 0;
        const decision& found = decisions_[position_++];
        if (found.chosen >= alternatives) diverged_ = true;
        return found.chosen < alternatives ? found.chosen : 0;
    }

    /// A decision that was made elsewhere.
    void record(unsigned chosen, unsigned alternatives) {
        decisions_.push_back({narrow(chosen), narrow(alternatives)});
        ++position_;
    }

    /// To the next path in depth-first order; false when there is none.
    bool advance();

    /// Whether all decisions have been made again.
    [[nodiscard]] bool at_end() const noexcept { return position_ == decisions_.size(); }

    /// Whether the scenario behaved differently under the same decisions.
    [[nodiscard]] bool diverged() const noexcept { return diverged_; }

    /// A short text to copy: the number of first alternatives, then another alternative, and so on.
    [[nodiscard]] std::string text() const;
    /// Returns false if the text is not valid.
    bool parse(std::string_view text);

private:
    static std::uint16_t narrow(unsigned value) { return static_cast<std::uint16_t>(value); }

    struct decision {
        std::uint16_t chosen;
        std::uint16_t alternatives;
    };

    std::vector<decision> decisions_;
    std::size_t position_ = 0;
    bool diverged_ = false;
};

} // namespace weft::inline v0::explorer::detail
