#include "sim/machine.hpp"

#include "balance/plan.hpp"
#include "sim/split_mix.hpp"
#include "sim/stealing_rules.hpp"

#include <algorithm>

namespace weft::sim {

machine::machine(const load& workload, std::size_t cores, policy stealing, std::uint64_t seed,
                 const costs& prices)
    : load_{&workload}, policy_{stealing}, costs_{prices}, random_state_{seed}, cores_(cores) {
    for (std::size_t core = 0; core != cores; ++core) {
        for (const task& each : workload.first_tasks(core, cores))
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
        now_ = next.due;
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
        const auto percentile =
            latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() * 99 / 100);
        std::ranges::nth_element(latencies_, percentile);
        metrics_.latency_99 = *percentile;
    }
    return metrics_;
}

std::uint64_t machine::random() {
    const std::uint64_t drawn = mixed(random_state_);
    random_state_ += split_mix_step;
    return drawn;
}

void machine::post(time due, std::size_t core, event_kind kind) {
    events_.push({due, ++last_event_, static_cast<std::uint32_t>(core), kind});
}

bool machine::is_central() const {
    return policy_ == policy::single || policy_ == policy::partial || policy_ == policy::mss ||
           policy_ == policy::frozen;
}

/// Takes the core's newest task, which starts one pop after `begin`.
void machine::start_next(std::size_t core, time begin) {
    core_state& self = cores_[core];
    const queued next = self.queue.back();
    self.queue.pop_back();
    --queued_;
    self.current = next.item;
    self.running = true;
    ++running_;
    const time start = begin + costs_.pop;
    latencies_.push_back(start - std::min(start, next.ready));
    post(start + load_->length(next.item), core, event_kind::ended);
}

void machine::become_idle(std::size_t core) {
    core_state& self = cores_[core];
    self.idle = true;
    self.idle_since = now_;
    self.backoff = costs_.failed_try;
    ++idle_;
    if (is_central() || cores_.size() == 1) return;
    const time scan_time = policy_ == policy::richest ? costs_.scan * cores_.size() : 0;
    post(now_ + scan_time + costs_.failed_try, core, event_kind::tries);
}

void machine::wake(std::size_t core, time after) {
    core_state& self = cores_[core];
    if (self.idle) {
        self.idle = false;
        metrics_.idle += now_ - self.idle_since;
        --idle_;
    }
    start_next(core, now_ + after);
}

void machine::ended(std::size_t core) {
    core_state& self = cores_[core];
    self.running = false;
    --running_;
    ++metrics_.tasks;
    --unfinished_;
    load_->children(self.current, made_);
    for (const task& each : made_) self.queue.push_back({each, now_});
    queued_ += made_.size();
    unfinished_ += made_.size();
    if (frozen_) {
        if (self.queue.empty()) become_idle(core);
        if (running_ == 0 && !planning_) begin_plan();
        return;
    }
    if (self.queue.empty()) become_idle(core);
    else start_next(core, now_ + costs_.push * made_.size());
    consider_plan();
}

std::size_t machine::victim_of(std::size_t thief) {
    if (policy_ == policy::richest) {
        std::vector<std::size_t> queues;
        queues.reserve(cores_.size());
        for (const core_state& each : cores_) queues.push_back(each.queue.size());
        return richest_queue(queues, random() % cores_.size());
    }
    const std::size_t drawn = random() % (cores_.size() - 1);
    return drawn < thief ? drawn : drawn + 1;
}

void machine::failed(std::size_t core) {
    core_state& self = cores_[core];
    ++metrics_.failures;
    const time scan_time = policy_ == policy::richest ? costs_.scan * cores_.size() : 0;
    post(now_ + scan_time + self.backoff, core, event_kind::tries);
    self.backoff = std::min(self.backoff * 2, std::max(costs_.most_backoff, costs_.failed_try));
}

void machine::tries(std::size_t core) {
    if (!cores_[core].idle) return; // a plan has already given it tasks
    ++metrics_.attempts;
    metrics_.messages += policy_ == policy::richest ? cores_.size() : 2;
    const std::size_t victim = victim_of(core);
    if (victim == cores_.size() || cores_[victim].queue.empty()) {
        failed(core);
        return;
    }
    auto& available = cores_[victim].queue;
    const std::size_t count = policy_ == policy::half ? balance::half_of(available.size()) : 1;
    for (std::size_t each = 0; each != count; ++each) {
        cores_[core].queue.push_back(available.front());
        available.pop_front();
    }
    metrics_.moved += count;
    wake(core, costs_.steal + costs_.per_item * (count - 1));
}

void machine::consider_plan() {
    if (!plans() || planning_ || frozen_ || idle_ == 0 || queued_ == 0) return;
    if (policy_ == policy::multi && !balance::worth_a_plan(idle_, cores_.size(), queued_)) return;
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
    // At least 1: a plan that takes no time and moves nothing would be repeated forever.
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
    if (policy_ == policy::single) single_steal(after);
    else if (policy_ == policy::partial) partial_multi_steal(after);
    else if (policy_ == policy::multi) balance::balance_least(after);
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

/// Moves blocks of the oldest tasks. An idle core that receives a block pays for it and starts.
void machine::apply(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after) {
    std::vector<balance::move> moves;
    balance::moves_between(before, after, moves);
    std::vector<time> pays(cores_.size(), 0);
    for (const balance::move& each : moves) {
        auto& source = cores_[each.source].queue;
        for (std::size_t count = 0; count != each.count; ++count) {
            cores_[each.destination].queue.push_front(source.front());
            source.pop_front();
        }
        metrics_.moved += each.count;
        metrics_.messages += 2;
        pays[each.destination] += costs_.steal + costs_.per_item * (each.count - 1);
    }
    for (const balance::move& each : moves) {
        if (!cores_[each.destination].running && !cores_[each.destination].queue.empty())
            wake(each.destination, pays[each.destination]);
    }
}

} // namespace weft::sim
