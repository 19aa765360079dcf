#include "cluster/exchange.hpp"

#include <weft/detail/cluster/bytes.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::inline v0::detail {

exchange::exchange(network& messages, task_store& tasks, balancing policy)
    : messages_{&messages}, tasks_{&tasks}, balancer_{make_balancer(policy, messages)},
      rounds_{messages, balancer_->plans()} {}

/// A step that throws, for want of memory or because a task cannot be read, is a failure of this
/// rank; messages go on, so that all ranks hear of it.
void exchange::step(std::size_t seat) {
    if (outcome_ != verdict::go_on) return;
    try {
        while (outcome_ == verdict::go_on && messages_->receive(arrived_)) handle(arrived_);
        if (outcome_ != verdict::go_on) return;
        balancer_->step(tasks_->is_passive());
        balancer_->offer(tasks_->queued(), orders_);
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
    if (const auto found = rounds_.step(wish(), [this] { return cut(); })) conclude(*found);
    if (outcome_ != verdict::go_on) return;
    try {
        carry_out(seat);
    } catch (...) { // the program's own code makes bytes of tasks
        orders_.clear();
        if (!failure_) failure_ = std::current_exception();
    }
}

void exchange::handle(const message& arrived) {
    switch (arrived.kind) {
    case message_kind::tasks:
        stay_lively();
        keep_tasks(arrived);
        break;
    case message_kind::request:
        stay_lively();
        balancer_->on_request(arrived, tasks_->queued(), orders_);
        break;
    case message_kind::refusal:
        stay_lively();
        balancer_->on_refusal(arrived);
        break;
    default:
        rounds_.handle(arrived);
        if (const auto found = rounds_.step(round_wish::none, [this] { return cut(); })) {
            conclude(*found);
        }
    }
}

void exchange::keep_tasks(const message& arrived) {
    ++received_; // E1: also if the tasks cannot be read, which is a failure of the run
    balancer_->on_tasks(arrived.source);
    byte_reader reader{arrived.bytes};
    std::uint64_t count = 0;
    reader(count);
    tasks_->put(reader.left(), static_cast<std::size_t>(count));
}

/// Throws nothing: the other ranks wait for this one to have received everything.
void exchange::drain(const message& arrived) {
    try {
        if (arrived.kind == message_kind::tasks) {
            if (outcome_ == verdict::stop) ++received_; // dropped
            else keep_tasks(arrived);
        } else if (outcome_ == verdict::pause) {
            // Policies go on after the pause, and with them what they have asked for.
            if (arrived.kind == message_kind::request) {
                balancer_->on_request(arrived, tasks_->queued(), orders_);
            } else if (arrived.kind == message_kind::refusal) {
                balancer_->on_refusal(arrived);
            } else {
                rounds_.handle(arrived);
            }
        }
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
}

void exchange::go_on() {
    outcome_ = verdict::go_on;
    stay_lively();
}

round_wish exchange::wish() const {
    if (failure_ || tasks_->has_failed()) return round_wish::urgent;
    return tasks_->is_passive() ? balancer_->wish_when_idle() : round_wish::none;
}

rank_state exchange::cut() const {
    return {.sent = sent_,
            .received = received_,
            .done = tasks_->done(),
            .queued = tasks_->queued(),
            .passive = tasks_->is_passive(),
            .failed = failure_ || tasks_->has_failed()};
}

void exchange::conclude(const conclusion& found) {
    outcome_ = found.outcome;
    failed_ = found.failed;
    if (outcome_ != verdict::go_on) {
        if (outcome_ != verdict::pause) orders_.clear();
        return;
    }
    const std::size_t moved = balancer_->on_conclusion(found.queued, orders_);
    if (moved != 0) stay_lively();
    // Rounds that find nothing to move become rare.
    pause_ =
        moved != 0 || rounds_.all_passive() ? shortest_pause : std::min(2 * pause_, longest_pause);
    rounds_.delay_until(messages_->now() + pause_);
}

void exchange::carry_out(std::size_t seat) {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i != orders_.size();) {
        if (carry_out(orders_[i], seat)) {
            orders_[i] = orders_.back();
            orders_.pop_back();
        } else {
            waiting += orders_[i++].count;
        }
    }
    tasks_->want(waiting);
}

/// True if the order is done with.
bool exchange::carry_out(order& given, std::size_t seat) {
    bool has_sent = false;
    while (given.count != 0) {
        std::vector<std::byte> bytes;
        byte_writer writer{bytes};
        writer(std::uint64_t{0});
        std::uint64_t count = 0;
        while (count != given.count && bytes.size() < largest_message) {
            const std::size_t most = std::min<std::size_t>(given.count - count, tasks_at_once);
            const std::size_t taken = tasks_->take(most, seat, bytes);
            if (taken == 0) break;
            count += taken;
        }
        if (count == 0) break;
        std::memcpy(bytes.data(), &count, sizeof count);
        ++sent_; // E1
        messages_->send(given.destination, message_kind::tasks, std::move(bytes));
        given.count -= static_cast<std::size_t>(count);
        has_sent = true;
    }
    if (has_sent) stay_lively();
    if (has_sent) return true; // what is missing has been run meanwhile
    if (given.count != 0 && given.patience != 0 && tasks_->queued() > 1) {
        --given.patience;
        return false; // the workers that have them offer them after their task
    }
    if (given.standing) balancer_->wait_on(given);
    if (given.answers) messages_->send(given.destination, message_kind::refusal, {});
    return true;
}

} // namespace weft::inline v0::detail
