#include "cluster/balancing.hpp"

#include "balance/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace weft::inline v0::detail {

namespace {

/// All ranks compute the same plan from the same numbers, with integers only, and those that have
/// too much send to those that have too little. Nothing is negotiated.
class planner final : public balancer {
public:
    explicit planner(network& messages) : rank_{static_cast<std::size_t>(messages.rank())} {}

    [[nodiscard]] bool plans() const noexcept override { return true; }
    [[nodiscard]] round_wish wish_when_idle() const noexcept override { return round_wish::hungry; }
    std::size_t on_conclusion(std::span<const std::size_t> queued,
                              std::vector<order>& orders) override {
        if (!balance::needs_balance(queued)) return 0;
        before_.assign(queued.begin(), queued.end());
        after_ = before_;
        balance::balance_least(after_);
        moves_.clear();
        balance::moves_between(before_, after_, moves_);
        std::size_t moved = 0;
        for (const balance::move& each : moves_) {
            moved += each.count;
            if (each.source == rank_) {
                orders.push_back(
                    {.destination = static_cast<int>(each.destination), .count = each.count});
            }
        }
        return moved;
    }

private:
    std::size_t rank_;
    std::vector<std::size_t> before_, after_;
    std::vector<balance::move> moves_;
};

/// A rank without tasks asks a random one, which answers with half of its tasks or refuses. With
/// lifelines it asks a few times only; then it leaves standing requests with its neighbours in a
/// hypercube, which give when they have something, and is quiet (Saraswat and others, 2011).
class thief final : public balancer {
public:
    thief(network& messages, bool lifelines)
        : messages_{&messages}, lifelines_{lifelines},
          random_state_{0x9E3779B97F4A7C15 * (static_cast<std::uint64_t>(messages.rank()) + 1)} {
        const auto size = static_cast<unsigned>(messages.size());
        const auto rank = static_cast<unsigned>(messages.rank());
        for (unsigned bit = 1; lifelines && bit < size; bit <<= 1) {
            if ((rank ^ bit) < size) neighbours_.push_back(static_cast<int>(rank ^ bit));
        }
        waits_.resize(neighbours_.size());
    }

    void step(bool passive) override {
        if (messages_->size() == 1 || asked_) return;
        if (!passive) {
            tries_ = 0;
            return;
        }
        if (!lifelines_ || tries_ < most_tries) {
            ++tries_;
            ask(random_rank(), false);
            asked_ = true;
            return;
        }
        for (std::size_t i = 0; i != neighbours_.size(); ++i) {
            if (waits_[i]) continue;
            waits_[i] = true;
            ask(neighbours_[i], true);
        }
    }
    void on_request(const message& arrived, std::size_t queued,
                    std::vector<order>& orders) override {
        const bool standing = arrived.bytes.at(0) != std::byte{0};
        if (standing) {
            waiting_.push_back(arrived.source);
        } else {
            orders.push_back(
                {.destination = arrived.source, .count = half_of(queued), .answers = true});
        }
    }
    void on_refusal(const message& /*arrived*/) override { asked_ = false; }
    void on_tasks(int source) override {
        asked_ = false;
        for (std::size_t i = 0; i != neighbours_.size(); ++i) {
            if (neighbours_[i] == source) waits_[i] = false;
        }
    }
    void offer(std::size_t queued, std::vector<order>& orders) override {
        while (!waiting_.empty() && queued >= 2) {
            const std::size_t given = half_of(queued);
            orders.push_back({.destination = waiting_.back(), .count = given, .standing = true});
            waiting_.pop_back();
            queued -= given;
        }
    }
    void wait_on(const order& given) override { waiting_.push_back(given.destination); }

private:
    static constexpr unsigned most_tries = 2;

    static std::size_t half_of(std::size_t queued) { return queued / 2; }
    void ask(int victim, bool standing) {
        messages_->send(victim, message_kind::request, {std::byte{standing}});
    }
    int random_rank() noexcept {
        random_state_ ^= random_state_ << 13;
        random_state_ ^= random_state_ >> 7;
        random_state_ ^= random_state_ << 17;
        const auto others = static_cast<std::uint64_t>(messages_->size() - 1);
        const auto victim = static_cast<int>(random_state_ % others);
        return victim < messages_->rank() ? victim : victim + 1;
    }

    network* messages_;
    bool lifelines_;
    std::uint64_t random_state_;
    bool asked_ = false; // and not answered yet
    unsigned tries_ = 0; // since it had tasks
    std::vector<int> neighbours_;
    std::vector<bool> waits_;  // at this neighbour
    std::vector<int> waiting_; // neighbours that wait here
};

} // namespace

std::unique_ptr<balancer> make_balancer(balancing policy, network& messages) {
    if (policy == balancing::plan) return std::make_unique<planner>(messages);
    return std::make_unique<thief>(messages, policy == balancing::lifeline);
}

} // namespace weft::inline v0::detail
