#include "sim/machine.hpp"

#include "balance/plan.hpp"

#include <algorithm>

namespace weft::sim {

machine::machine(const load& what, std::size_t cores, policy how, std::uint64_t seed,
                 const costs& prices)
    : load_{&what}, policy_{how}, costs_{prices}, random_state_{seed}, cores_(cores) {
    for (std::size_t core = 0; core != cores; ++core) {
        for (const task& each : what.first_tasks(core, cores))
            cores_[core].queue.push_back({each, 0});
        queued_ += cores_[core].queue.size();
    }
    unfinished_ = queued_;
}

metrics machine::run() {
    for (std::size_t core = 0; core != cores_.size(); ++core) {
        if (cores_[core].queue.empty()) become_idle(core);
        else start_next(core, 0);
    }
    consider_plan();
    while (unfinished_ != 0) {
        const event next = events_.top();
        events_.pop();
        now_ = next.at;
        switch (next.kind) {
        case event_kind::ended: ended(next.core); break;
        case event_kind::tries: tries(next.core); break;
        case event_kind::planned: planned(); break;
        }
    }
    metrics_.makespan = now_;
    for (const core_state& each : cores_) {
        if (each.idle) metrics_.idle += now_ - each.idle_since;
    }
    if (!latencies_.empty()) {
        const auto at =
            latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() * 99 / 100);
        std::ranges::nth_element(latencies_, at);
        metrics_.latency_99 = *at;
    }
    return metrics_;
}

std::uint64_t machine::random() {
    random_state_ += 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t mixed = random_state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return mixed ^ (mixed >> 31U);
}

void machine::post(time at, std::size_t core, event_kind kind) {
    events_.push({at, ++last_event_, static_cast<std::uint32_t>(core), kind});
}

bool machine::is_central() const {
    return policy_ == policy::single || policy_ == policy::partial ||
           policy_ == policy::multi_steal || policy_ == policy::frozen;
}

/// Takes the newest task of its own; it begins at that time and a pop later.
void machine::start_next(std::size_t core, time begin) {
    core_state& at = cores_[core];
    const queued next = at.queue.back();
    at.queue.pop_back();
    --queued_;
    at.current = next.what;
    at.running = true;
    ++running_;
    const time start = begin + costs_.pop;
    latencies_.push_back(start - std::min(start, next.ready));
    post(start + load_->length(next.what), core, event_kind::ended);
}

void machine::become_idle(std::size_t core) {
    core_state& at = cores_[core];
    at.idle = true;
    at.idle_since = now_;
    at.backoff = costs_.failed_try;
    ++idle_;
    if (is_central() || cores_.size() == 1) return;
    const time look = policy_ == policy::richest ? costs_.scan * cores_.size() : 0;
    post(now_ + look + costs_.failed_try, core, event_kind::tries);
}

void machine::wake(std::size_t core, time after) {
    core_state& at = cores_[core];
    if (at.idle) {
        at.idle = false;
        metrics_.idle += now_ - at.idle_since;
        --idle_;
    }
    start_next(core, now_ + after);
}

void machine::ended(std::size_t core) {
    core_state& at = cores_[core];
    at.running = false;
    --running_;
    ++metrics_.tasks;
    --unfinished_;
    load_->children(at.current, made_);
    for (const task& each : made_) at.queue.push_back({each, now_});
    queued_ += made_.size();
    unfinished_ += made_.size();
    if (frozen_) {
        if (at.queue.empty()) become_idle(core);
        if (running_ == 0 && !planning_) begin_plan();
        return;
    }
    if (at.queue.empty()) become_idle(core);
    else start_next(core, now_ + costs_.push * made_.size());
    consider_plan();
}

std::size_t machine::victim_of(std::size_t thief) {
    if (policy_ == policy::richest) {
        std::vector<std::size_t> queues;
        queues.reserve(cores_.size());
        for (const core_state& each : cores_) queues.push_back(each.queue.size());
        return balance::richest(queues, random() % cores_.size());
    }
    const std::size_t other = random() % (cores_.size() - 1);
    return other < thief ? other : other + 1;
}

void machine::failed(std::size_t core) {
    core_state& at = cores_[core];
    ++metrics_.failures;
    const time look = policy_ == policy::richest ? costs_.scan * cores_.size() : 0;
    post(now_ + look + at.backoff, core, event_kind::tries);
    at.backoff = std::min(at.backoff * 2, std::max(costs_.most_backoff, costs_.failed_try));
}

void machine::tries(std::size_t core) {
    if (!cores_[core].idle) return; // a plan has served it meanwhile
    ++metrics_.attempts;
    metrics_.messages += policy_ == policy::richest ? cores_.size() : 2;
    const std::size_t victim = victim_of(core);
    if (victim == cores_.size() || cores_[victim].queue.empty()) {
        failed(core);
        return;
    }
    auto& from = cores_[victim].queue;
    const std::size_t count = policy_ == policy::random_half ? balance::half_of(from.size()) : 1;
    for (std::size_t each = 0; each != count; ++each) {
        cores_[core].queue.push_back(from.front());
        from.pop_front();
    }
    metrics_.moved += count;
    wake(core, costs_.steal + costs_.per_item * (count - 1));
}

void machine::consider_plan() {
    if (!plans() || planning_ || frozen_ || idle_ == 0 || queued_ == 0) return;
    if (policy_ == policy::hybrid && !balance::worth_a_plan(idle_, cores_.size(), queued_)) return;
    if (policy_ == policy::frozen) {
        frozen_ = true;
        if (running_ != 0) return;
    }
    begin_plan();
}

void machine::begin_plan() {
    planning_ = true;
    const std::size_t served = std::min(idle_, queued_);
    const time takes =
        costs_.scan * cores_.size() + costs_.plan * served + (frozen_ ? costs_.barrier : 0);
    // A plan that takes no time would be made again at once where nothing can be moved.
    post(now_ + std::max<time>(1, takes), 0, event_kind::planned);
}

std::vector<std::size_t> machine::sizes() const {
    std::vector<std::size_t> now;
    now.reserve(cores_.size());
    for (const core_state& each : cores_) now.push_back(each.queue.size() + (each.running ? 1 : 0));
    return now;
}

void machine::planned() {
    planning_ = false;
    ++metrics_.rebalances;
    metrics_.messages += cores_.size();
    const auto before = sizes();
    auto after = before;
    if (policy_ == policy::single) balance::single_steal(after);
    else if (policy_ == policy::partial) balance::partial_multi_steal(after);
    else if (policy_ == policy::hybrid) balance::balance_least(after);
    else balance::multi_steal(after);
    apply(before, after);
    if (frozen_) {
        frozen_ = false;
        for (std::size_t core = 0; core != cores_.size(); ++core) {
            if (!cores_[core].running && !cores_[core].queue.empty()) wake(core, 0);
        }
    }
    consider_plan();
}

/// Blocks of the oldest tasks go from one to the other. Who was idle pays for its block and begins.
void machine::apply(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after) {
    std::vector<balance::move> moves;
    balance::moves_between(before, after, moves);
    std::vector<time> pays(cores_.size(), 0);
    for (const balance::move& each : moves) {
        auto& from = cores_[each.from].queue;
        for (std::size_t count = 0; count != each.count; ++count) {
            cores_[each.to].queue.push_front(from.front());
            from.pop_front();
        }
        metrics_.moved += each.count;
        metrics_.messages += 2;
        pays[each.to] += costs_.steal + costs_.per_item * (each.count - 1);
    }
    for (const balance::move& each : moves) {
        if (!cores_[each.to].running && !cores_[each.to].queue.empty())
            wake(each.to, pays[each.to]);
    }
}

} // namespace weft::sim
