// Rounds: all ranks learn the state of all ranks, and when nothing is left to do.
#pragma once

#include "cluster/network.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

enum class verdict : std::uint8_t {
    go_on,
    finish, // no task is left on any rank, or on its way
    stop,   // a task has failed
    pause,  // for a checkpoint
};

/// What one rank reports in a round, at one moment.
struct rank_state {
    std::uint64_t sent = 0;     // messages with tasks, since the run began
    std::uint64_t received = 0; // the same
    std::uint64_t done = 0;     // tasks
    std::size_t queued = 0;
    bool passive = false; // no task is queued or running
    bool failed = false;
};

/// What a round has found, on every rank.
struct conclusion {
    verdict outcome = verdict::go_on;
    int failed = -1;                   // a rank, if the outcome is stop
    std::vector<std::size_t> queued{}; // of each rank, unless the policy makes no plans
};

/// When a rank wants a round.
enum class round_wish : std::uint8_t {
    none,
    idle,   // it has nothing to do, which counts when the same is true of its whole subtree
    hungry, // it wants tasks
    urgent, // a task has failed
};

/// The ranks are a tree; the parent of rank r is (r - 1) / fan_out. Wishes go up, the beginning of
/// a round down, states up, what was found down. A rank that nobody wants anything of takes no part
/// in anything: an idle cluster is quiet, and a busy one too while no rank wants tasks.
///
/// | operation  | caller      |                                                     |
/// |------------|-------------|-----------------------------------------------------|
/// | handle     | each rank   | for wish, begin, gather and conclude                |
/// | step       | each rank   | after messages were handled, and now and then       |
/// | force_next | the root    | the next round needs no wish, and has this outcome  |
///
/// States of a rank: quiet --begin--> gathering --all children reported--> reported --conclude-->
/// quiet. The root concludes when it has gathered.
///
/// Termination. A rank's *cut* of a round is the moment at which it reports. The root begins a
/// round after it has all reports of the one before; so some moment t is after all cuts of a round
/// and before all cuts of the next. The root finishes if in one round all ranks were passive and
/// had received R messages with tasks in all, and in the next had sent S = R. Then nothing is left:
///  T1  What was received before the first cuts, R, was received by t, and what was sent by t was
///      sent before the second cuts: R <= received(t) <= sent(t) <= S. With R = S all four are
///      equal: at t no message is on its way.
///  T2  A rank receives nothing between its first cut and t, for received(t) = R. A rank that is
///      passive stays passive until it receives tasks. So at t all ranks are passive.
class rounds {
public:
    /// Chosen so that 256 ranks are two levels, where each level costs two messages of latency.
    static constexpr int fan_out = 16;

    /// `plans`: whether ranks want to know the number of tasks of each.
    rounds(network& messages, bool plans);

    void handle(const message& arrived);

    /// `cut` gives the state of this rank. Returns what a round has found, once on every rank.
    template <class Cut>
    [[nodiscard]] std::optional<conclusion> step(round_wish wish, Cut cut) {
        advance(wish);
        if (phase_ == phase::gathering && reported_ == children_) report(cut());
        return std::exchange(concluded_, std::nullopt);
    }

    /// The root: a round begins even if no rank wants one.
    void force_next(verdict outcome) noexcept {
        if (forced_ != verdict::pause) forced_ = outcome;
    }
    /// The root: in the last round no rank had tasks.
    [[nodiscard]] bool all_passive() const noexcept { return received_when_passive_.has_value(); }
    /// The root: tasks done by each rank, as of the last round.
    [[nodiscard]] const std::vector<std::uint64_t>& done() const noexcept { return done_; }
    /// Conclusions that this rank has seen.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// The root: no round begins by a wish before this time.
    void delay_until(double time) noexcept { not_before_ = time; }

private:
    enum class phase : std::uint8_t { quiet, gathering, reported };

    struct sums {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        int failed = -1;
        bool passive = true;
    };
    struct entry {
        int rank;
        std::uint32_t queued;
        std::uint64_t done;
    };

    [[nodiscard]] bool is_root() const noexcept { return messages_->rank() == 0; }
    [[nodiscard]] int parent() const noexcept { return (messages_->rank() - 1) / fan_out; }
    void tell_children(message_kind kind, const std::vector<std::byte>& bytes);
    void advance(round_wish wish);
    void begin();
    void report(const rank_state& own);
    void conclude_as_root();
    void conclude(conclusion found);
    void read_gathered(const message& arrived);
    [[nodiscard]] static conclusion read_conclusion(const message& arrived);
    [[nodiscard]] round_wish subtree_wish(round_wish own) const noexcept;

    network* messages_;
    bool plans_;
    int children_ = 0;
    phase phase_ = phase::quiet;
    int reported_ = 0;
    // Since the last round.
    int idle_children_ = 0;
    round_wish strongest_ = round_wish::none; // of children, but for idle
    round_wish told_parent_ = round_wish::none;
    sums gathered_;
    std::vector<entry> entries_; // of the subtree
    std::optional<conclusion> concluded_;
    std::uint64_t count_ = 0;
    // The root's.
    std::optional<verdict> forced_;
    verdict promised_ = verdict::go_on; // of the round that was begun by force_next
    std::optional<std::uint64_t> received_when_passive_; // R, if all were passive in the last round
    std::vector<std::uint64_t> done_;
    double not_before_ = 0;
};

} // namespace weft::inline v0::detail
