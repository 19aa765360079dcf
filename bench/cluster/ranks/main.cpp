// The ranks of a benchmark: mpirun -n 4 weft_ranks WORKLOAD POLICY WORKERS REPEATS. Rank 0 prints
// the milliseconds of each run. The policy "pool" is for one rank: fork_join on a pool.
#include "pool.hpp"
#include "uts/tree.hpp"

#include <weft/cluster.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace bench::ranks {
namespace {

/// Counts nodes.
struct unbalanced_tree {
    using task = uts::node;
    using result = std::int64_t;
    static constexpr std::string_view name = "unbalanced tree";

    void work(const task& parent, weft::bag<task>& more, result& count) const {
        ++count;
        const int children = uts::children_of(*whole, parent);
        for (int i = 0; i != children; ++i) more.add(uts::child_of(parent, i));
    }

    const uts::tree* whole;
};

/// Tasks of one length, all in one queue of rank 0 at first.
struct one_queue {
    struct task {
        std::int32_t others = 0;
    };
    using result = std::int64_t;
    static constexpr std::string_view name = "one queue";

    void work(task some, weft::bag<task>& more, result& count) const {
        for (; some.others != 0; --some.others) more.add({});
        ++count;
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
        }
    }
    std::chrono::microseconds time;
};

weft::balancing policy_of(std::string_view name) {
    if (name == "plan") return weft::balancing::plan;
    if (name == "random") return weft::balancing::random;
    if (name == "lifeline") return weft::balancing::lifeline;
    throw std::invalid_argument{"the policies are plan, random and lifeline"};
}

std::int64_t run_tree(weft::cluster& all, const uts::tree& whole,
                      const weft::cluster_run_options& options) {
    return all.run(unbalanced_tree{&whole}, uts::root_of(whole), options);
}

/// The number of tasks run, which is checked.
void run(weft::cluster& all, std::string_view workload, std::string_view policy,
         std::size_t workers) {
    const bool on_pool = policy == "pool";
    const weft::cluster_run_options options{.balancing = on_pool ? weft::balancing::plan
                                                                 : policy_of(policy)};
    std::int64_t found = 0;
    std::int64_t expected = 0;
    if (workload == "T1" || workload == "T3") {
        const uts::tree whole = workload == "T1" ? uts::bushy() : uts::deep();
        expected = whole.nodes;
        found = on_pool ? count_on_pool(whole, workers) : run_tree(all, whole, options);
    } else if (workload == "queue") {
        constexpr std::int32_t tasks = 65'536;
        expected = tasks;
        found = all.run(one_queue{std::chrono::microseconds{10}}, {tasks - 1}, options);
    } else {
        throw std::invalid_argument{"the workloads are T1, T3 and queue"};
    }
    if (found != expected) throw std::runtime_error{"a wrong result"};
}

} // namespace
} // namespace bench::ranks

int main(int count, char** words) {
    if (count != 5) {
        std::fputs("usage: weft_ranks T1|T3|queue plan|random|lifeline|pool WORKERS REPEATS\n",
                   stderr);
        return 2;
    }
    try {
        const auto workers = static_cast<std::size_t>(std::atoi(words[3]));
        weft::cluster all{{.workers = words[2] == std::string_view{"pool"} ? 0 : workers}};
        for (int i = 0; i != std::atoi(words[4]); ++i) {
            const double begin = MPI_Wtime();
            bench::ranks::run(all, words[1], words[2], workers);
            if (all.rank() == 0) std::printf("%.3f\n", (MPI_Wtime() - begin) * 1e3);
        }
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "weft_ranks: %s\n", wrong.what());
        return 1;
    }
    return 0;
}
