#include "calibrate.hpp"

#include "pool/steal_planner.hpp"
#include "real_run.hpp"
#include "shell/stopwatch.hpp"

#include <weft/detail/lockfree/task_deque.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::cli {

namespace {

constexpr int repeats = 9;
constexpr std::size_t task_count = 32'768; // of a measurement

template <class Measure>
double median_of(Measure measure) {
    std::vector<double> values;
    for (int each = 0; each != repeats; ++each) values.push_back(measure());
    std::ranges::nth_element(values, values.begin() + repeats / 2);
    return values[repeats / 2];
}

sim::time whole(double nanoseconds) {
    return static_cast<sim::time>(std::max(1.0, nanoseconds + 0.5));
}

/// Empty tasks, all run by one worker. The last of them releases the other workers.
class empty_tasks {
public:
    empty_tasks(held_pool& workers, std::size_t count)
        : pool_{&workers}, real_{load_, workers.workers(), 0}, count_{count} {}

    /// A task that is the root of a tree of tasks of this depth.
    void submit(int depth = 0) {
        pool_->workers().submit([this, depth] { run(depth); });
    }
    void submit_all() {
        for (std::size_t each = 0; each != count_; ++each) submit();
    }
    [[nodiscard]] std::size_t done() const { return done_.load(sync::relaxed); }
    /// What is measured begins now.
    void start() { watch_ = {}; }
    /// From the start to the end of the last; call it after the pool has stopped.
    [[nodiscard]] double nanoseconds_per_task() const {
        return took_ / static_cast<double>(count_);
    }

private:
    void run(int depth) {
        real_.run({});
        if (depth > 0) {
            submit(depth - 1);
            submit(depth - 1);
        }
        const std::size_t now = done() + 1;
        if (now == count_) {
            took_ = watch_.nanoseconds();
            pool_->release();
        }
        done_.store(now, sync::relaxed);
    }

    held_pool* pool_;
    sim::load load_{sim::load_kind::one_queue, 1};
    real_load real_;
    std::size_t count_;
    sync::atomic<std::size_t> done_{0};
    stopwatch watch_;
    double took_ = 0;
};

/// The cost of a task for its own worker, while the others are held.
double measure_pop(std::size_t workers) {
    held_pool some{workers, nullptr};
    empty_tasks tasks{some, task_count};
    some.lead([&] {
        tasks.submit_all();
        tasks.start();
    });
    some.finish();
    return tasks.nanoseconds_per_task();
}

/// The same for tasks that are submitted by ending tasks, as most are, and so reuse their memory.
double measure_push_and_pop(std::size_t workers) {
    constexpr int depth = 12;
    constexpr std::size_t count = (std::size_t{2} << depth) - 1;
    held_pool some{workers, nullptr};
    empty_tasks tasks{some, count};
    some.lead([&] {
        tasks.start();
        tasks.submit(depth);
    });
    some.finish();
    return tasks.nanoseconds_per_task();
}

struct thief_costs {
    double each;       // from the end of a task to the start of the next
    double failed_try; // 0: not observed
};

/// The time between two failed attempts to steal. A worker makes them for a few microseconds only,
/// after its work has run out.
template <class Tries>
double measure_tries(Tries tries) {
    constexpr double most_nanoseconds = 300'000;
    struct observation {
        std::uint64_t tries;
        double time;
    };
    const stopwatch waiting;
    const observation before{tries(), 0};
    observation first = before;
    observation last = before;
    while (waiting.nanoseconds() < most_nanoseconds) {
        const observation now{tries(), waiting.nanoseconds()};
        if (now.tries == last.tries) continue;
        last = now;
        if (first.tries == before.tries) first = now;
    }
    if (last.tries == first.tries) return 0;
    return (last.time - first.time) / static_cast<double>(last.tries - first.tries);
}

/// The leader has the tasks and computes, so that the other worker must steal all of them.
thief_costs measure_thief(const std::shared_ptr<const stealing_policy>& policy) {
    held_pool some{2, policy};
    empty_tasks tasks{some, task_count};
    thief_costs found{};
    const auto looks = [&] {
        std::uint64_t tried = 0;
        for (const worker_statistics& each : some.workers().statistics())
            tried += each.steals_tried;
        return tried;
    };
    some.lead([&] {
        tasks.submit_all();
        const stopwatch watch;
        some.release();
        while (tasks.done() != task_count) churn(4);
        found.each = watch.nanoseconds() / static_cast<double>(task_count);
        found.failed_try = measure_tries(looks);
    });
    some.finish();
    return found;
}

void measure_stealing(sim::costs& found, double pop) {
    double failed = 0;
    const double single = median_of([&] {
        const thief_costs one = measure_thief(std::make_shared<random_stealing>());
        if (one.failed_try > 0 && (failed == 0 || one.failed_try < failed)) failed = one.failed_try;
        return one.each;
    });
    const double in_blocks =
        median_of([] { return measure_thief(std::make_shared<half_stealing>()).each; });
    if (failed > 0) found.failed_try = whole(failed);
    found.most_backoff = found.failed_try;
    // In the simulator a thief tries, steals, and pops the stolen task.
    found.steal = whole(single - static_cast<double>(found.failed_try) - pop);
    found.per_item = whole(in_blocks - pop);
}

/// The planner alone, on this number of queues, with all owners hungry or none.
double measure_plan(std::size_t queues, bool hungry) {
    using queue = detail::task_deque<int>;
    std::vector<std::unique_ptr<queue>> all;
    for (std::size_t each = 0; each != queues; ++each) all.push_back(std::make_unique<queue>(true));
    int task = 0;
    for (std::size_t each = 0; each != 4 * queues; ++each) all[0]->owner_push(&task);
    detail::steal_planner planner{queues, 0, planning::when_many_are_idle};
    for (std::size_t each = 1; each != queues; ++each)
        planner.orders.owner_set_hungry(each, hungry);
    return median_of([&] {
        for (std::size_t each = 0; each != queues; ++each) {
            static_cast<void>(planner.orders.owner_take(each));
        }
        const stopwatch watch;
        planner.try_plan([&](std::size_t each) { return all[each]->count(); },
                         [](std::size_t /*each*/) {});
        return watch.nanoseconds() / static_cast<double>(queues);
    });
}

} // namespace

sim::costs calibrate(std::size_t workers) {
    sim::costs found;
    const double pop = median_of([&] { return measure_pop(workers); });
    found.pop = whole(pop);
    found.push = whole(median_of([&] { return measure_push_and_pop(workers); }) - pop);
    if (workers < 2) return found;
    measure_stealing(found, pop);
    constexpr std::size_t queues = 256;
    const double scan = measure_plan(queues, false);
    found.scan = whole(scan);
    found.plan = whole(measure_plan(queues, true) - scan);
    return found;
}

} // namespace weft::cli
