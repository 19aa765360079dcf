#include "cluster/rounds.hpp"

#include <weft/detail/cluster/bytes.hpp>

#include <algorithm>
#include <limits>

namespace weft::inline v0::detail {

rounds::rounds(network& messages, bool plans) : messages_{&messages}, plans_{plans} {
    const int size = messages.size();
    const auto first = std::int64_t{messages.rank()} * fan_out + 1;
    const auto last = std::min<std::int64_t>(first + fan_out, size);
    children_ = static_cast<int>(std::max<std::int64_t>(last - first, 0));
    if (is_root()) done_.resize(static_cast<std::size_t>(size));
}

void rounds::tell_children(message_kind kind, const std::vector<std::byte>& bytes) {
    const int first = messages_->rank() * fan_out + 1;
    for (int i = 0; i != children_; ++i) messages_->send(first + i, kind, bytes);
}

void rounds::handle(const message& arrived) {
    switch (arrived.kind) {
    case message_kind::wish: {
        const auto wish = static_cast<round_wish>(arrived.bytes.at(0));
        if (wish == round_wish::idle) ++idle_children_;
        else strongest_ = std::max(strongest_, wish);
        break;
    }
    case message_kind::begin: begin(); break;
    case message_kind::gather: read_gathered(arrived); break;
    case message_kind::conclude:
        tell_children(message_kind::conclude, arrived.bytes);
        conclude(read_conclusion(arrived));
        break;
    default: break;
    }
}

round_wish rounds::subtree_wish(round_wish own) const noexcept {
    if (own > round_wish::idle || strongest_ > round_wish::idle) return std::max(own, strongest_);
    // A child that first was idle and then hungry has sent two wishes; the stronger one counts.
    return own == round_wish::idle && idle_children_ >= children_ ? own : round_wish::none;
}

void rounds::advance(round_wish wish) {
    if (phase_ != phase::quiet) return;
    const round_wish all = subtree_wish(wish);
    if (!is_root()) {
        if (all <= told_parent_) return;
        told_parent_ = all;
        messages_->send(parent(), message_kind::wish, {static_cast<std::byte>(all)});
        return;
    }
    const bool wanted =
        all != round_wish::none && (all == round_wish::urgent || messages_->now() >= not_before_);
    if (!wanted && !forced_) return;
    promised_ = std::exchange(forced_, std::nullopt).value_or(verdict::go_on);
    begin();
}

void rounds::begin() {
    phase_ = phase::gathering;
    tell_children(message_kind::begin, {});
}

void rounds::read_gathered(const message& arrived) {
    byte_reader reader{arrived.bytes};
    sums sum;
    std::vector<entry> entries;
    reader(sum, entries);
    gathered_.sent += sum.sent;
    gathered_.received += sum.received;
    gathered_.passive = gathered_.passive && sum.passive;
    gathered_.failed = std::max(gathered_.failed, sum.failed);
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    ++reported_;
}

void rounds::report(const rank_state& own) {
    gathered_.sent += own.sent;
    gathered_.received += own.received;
    gathered_.passive = gathered_.passive && own.passive;
    if (own.failed) gathered_.failed = std::max(gathered_.failed, messages_->rank());
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    entries_.push_back(
        {messages_->rank(), static_cast<std::uint32_t>(std::min(own.queued, most)), own.done});
    phase_ = phase::reported;
    if (is_root()) {
        conclude_as_root();
    } else {
        std::vector<std::byte> bytes;
        byte_writer{bytes}(gathered_, entries_);
        messages_->send(parent(), message_kind::gather, std::move(bytes));
    }
}

void rounds::conclude_as_root() {
    conclusion found{.outcome = promised_, .failed = gathered_.failed};
    if (gathered_.failed >= 0) {
        found.outcome = verdict::stop;
    } else if (received_when_passive_ && *received_when_passive_ == gathered_.sent) {
        found.outcome = verdict::finish; // T1, T2
    }
    received_when_passive_.reset();
    if (gathered_.passive) received_when_passive_ = gathered_.received;
    std::vector<std::uint32_t> queued(plans_ ? done_.size() : 0);
    for (const entry& each : entries_) {
        const auto rank = static_cast<std::size_t>(each.rank);
        done_[rank] = each.done;
        if (plans_) queued[rank] = each.queued;
    }
    found.queued.assign(queued.begin(), queued.end());
    std::vector<std::byte> bytes;
    byte_writer{bytes}(found.outcome, found.failed, queued);
    tell_children(message_kind::conclude, bytes);
    conclude(std::move(found));
}

conclusion rounds::read_conclusion(const message& arrived) {
    conclusion found;
    std::vector<std::uint32_t> queued;
    byte_reader{arrived.bytes}(found.outcome, found.failed, queued);
    found.queued.assign(queued.begin(), queued.end());
    return found;
}

void rounds::conclude(conclusion found) {
    phase_ = phase::quiet;
    reported_ = 0;
    // Before a child hears of the end of the round it sends no new wish, and messages keep their
    // order: none of the next round is forgotten here.
    idle_children_ = 0;
    strongest_ = round_wish::none;
    told_parent_ = round_wish::none;
    gathered_ = {};
    entries_.clear();
    concluded_ = std::move(found);
    ++count_;
}

} // namespace weft::inline v0::detail
