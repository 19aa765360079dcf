// How many executions per second the explorer runs: a Chase-Lev deque, its owner against one thief.
#include <weft/explorer.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace {

using enum std::memory_order;
namespace explorer = weft::explorer;
using explorer::options;

/// With the orders of Lê, Pop, Cohen and Zappa Nardelli (2013), for up to four small numbers.
class deque {
public:
    static constexpr int nothing = 0;

    void push(int item) {
        const std::int64_t bottom = bottom_.load(relaxed);
        cell(bottom).store(item, relaxed);
        explorer::atomic_thread_fence(release);
        bottom_.store(bottom + 1, relaxed);
    }

    int pop() {
        const std::int64_t bottom = bottom_.load(relaxed) - 1;
        bottom_.store(bottom, relaxed);
        explorer::atomic_thread_fence(seq_cst);
        std::int64_t top = top_.load(relaxed);
        if (top > bottom) {
            bottom_.store(bottom + 1, relaxed);
            return nothing;
        }
        int item = cell(bottom).load(relaxed);
        if (top == bottom) { // the last one: a thief may want it too
            if (!top_.compare_exchange_strong(top, top + 1, seq_cst, relaxed)) item = nothing;
            bottom_.store(bottom + 1, relaxed);
        }
        return item;
    }

    int steal() {
        std::int64_t top = top_.load(acquire);
        explorer::atomic_thread_fence(seq_cst);
        if (top >= bottom_.load(acquire)) return nothing;
        const int item = cell(top).load(relaxed);
        return top_.compare_exchange_strong(top, top + 1, seq_cst, relaxed) ? item : nothing;
    }

private:
    explorer::atomic<int>& cell(std::int64_t index) {
        return items_[static_cast<std::size_t>(index) % items_.size()];
    }

    explorer::atomic<std::int64_t> top_{0};
    explorer::atomic<std::int64_t> bottom_{0};
    std::array<explorer::atomic<int>, 4> items_;
};

void two_pushes_and_pops_against_two_steals() {
    deque items;
    std::array<int, 3> times{}; // how often each number was taken; the first is `nothing`
    const auto took = [&](int item) { ++times.at(static_cast<std::size_t>(item)); };
    explorer::together(
        [&] {
            items.push(1);
            items.push(2);
            took(items.pop());
            took(items.pop());
        },
        [&] {
            took(items.steal());
            took(items.steal());
        });
    explorer::check(times[1] == 1 && times[2] == 1, "each is taken once");
}

void run(benchmark::State& state, options limits) {
    limits.print = false;
    std::uint64_t executions = 0;
    while (state.KeepRunning()) {
        const auto found =
            explorer::explore("deque", limits, two_pushes_and_pops_against_two_steals);
        const bool complete = found.exhaustive || limits.random_schedules > 0;
        if (!found.passed() || !complete) {
            state.SkipWithError("the deque is right, and this should have been seen");
            break;
        }
        executions += found.executions;
    }
    const auto total = static_cast<double>(executions);
    state.counters["executions"] = benchmark::Counter(total, benchmark::Counter::kAvgIterations);
    state.counters["executions_per_second"] =
        benchmark::Counter(total, benchmark::Counter::kIsRate);
}

void sequential(benchmark::State& state) { run(state, options::sequential(3)); }
void weak(benchmark::State& state) { run(state, options::weak(2, 2)); }
void random(benchmark::State& state) { run(state, options::random(50'000)); }

} // namespace

BENCHMARK(sequential)->Name("deque/sequential/3_preemptions")->Unit(benchmark::kMillisecond);
BENCHMARK(weak)->Name("deque/weak/2_preemptions/2_stale_reads")->Unit(benchmark::kMillisecond);
BENCHMARK(random)->Name("deque/random/depth_3")->Unit(benchmark::kMillisecond);
