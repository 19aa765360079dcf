// The cores of a simulation and its event loop.
#pragma once

#include "sim/load.hpp"
#include "sim/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

namespace weft::sim {

/// A core runs a task, pays the cost of taking one, tries to steal, or waits for a plan. Events
/// with the same time are processed in the order of their creation, so a seed determines the run.
///
/// Queue sizes include the running task, as the guards of the model do. It is never moved, because
/// a plan leaves every core with at least one task.
class machine {
public:
    machine(const load& workload, std::size_t cores, policy stealing, std::uint64_t seed,
            const costs& prices);

    metrics run();

private:
    enum class event_kind : std::uint8_t { ended, tries, planned };

    struct event {
        time due;
        std::uint64_t number;
        std::uint32_t core;
        event_kind kind;

        friend bool operator>(const event& one, const event& other) {
            return one.due != other.due ? one.due > other.due : one.number > other.number;
        }
    };

    struct queued {
        task item;
        time ready;
    };

    struct core_state {
        std::deque<queued> queue; // the oldest first; the core takes the newest
        task current;
        bool running = false;
        bool idle = false;
        time idle_since = 0;
        time backoff = 0;
    };

    void post(time due, std::size_t core, event_kind kind);
    void start_next(std::size_t core, time begin);
    void become_idle(std::size_t core);
    void wake(std::size_t core, time after);
    void ended(std::size_t core);
    void tries(std::size_t core);
    void failed(std::size_t core);
    [[nodiscard]] std::size_t victim_of(std::size_t thief);
    void consider_plan();
    void begin_plan();
    void planned();
    void apply(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after);
    [[nodiscard]] std::vector<std::size_t> sizes() const;
    [[nodiscard]] bool is_central() const;
    [[nodiscard]] bool plans() const { return is_central() || policy_ == policy::multi; }
    std::uint64_t random();

    const load* load_;
    policy policy_;
    costs costs_;
    std::uint64_t random_state_;
    std::vector<core_state> cores_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t last_event_ = 0;
    time now_ = 0;
    std::size_t queued_ = 0;
    std::size_t running_ = 0;
    std::size_t idle_ = 0;
    bool planning_ = false;
    bool frozen_ = false;
    std::uint64_t unfinished_ = 0; // tasks that are queued or run
    std::vector<task> made_;
    std::vector<time> latencies_;
    metrics metrics_;
};

} // namespace weft::sim
