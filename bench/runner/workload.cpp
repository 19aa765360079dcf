#include "runner/workload.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace bench {

namespace {

/// Filled before main begins, and not changed afterwards.
std::vector<implementation>& registered() {
    static std::vector<implementation> all;
    return all;
}

std::size_t rank(std::string_view library) {
    static constexpr auto order =
        std::to_array<std::string_view>({serial_library,    "serial-tiles", "weft",
                                         "weft-outside",    "weft-post",    "weft-node",
                                         "weft-single",     "weft-pool",    "weft-futures",
                                         "weft-group",      "weft-c",       "tbb",
                                         "std-par",         "omp",          "async",
                                         "boost",           "moodycamel",   "moodycamel-tokens",
                                         "moodycamel-bulk", "condvar",      "mutex-queue",
                                         "mutex-pool",      "mutex",        "scoped-lock",
                                         "tbb-mutex",       "asio",         "asio-mutex",
                                         "asio-strand",     "std-set",      "omp-depend",
                                         "random",          "half",         "multi"});
    return static_cast<std::size_t>(std::ranges::find(order, library) - order.begin());
}

} // namespace

registration::registration(const implementation& made) { registered().push_back(made); }

std::vector<implementation> implementations_of(std::string_view workload) {
    std::vector<implementation> found;
    std::ranges::copy_if(registered(), std::back_inserter(found),
                         [&](const implementation& each) { return each.workload == workload; });
    std::ranges::sort(found, {}, [](const implementation& each) { return rank(each.library); });
    return found;
}

const std::vector<workload>& workloads() {
    static const std::vector<workload> all{
        {"fib", "Fibonacci numbers by recursion without a cut-off: the cost of a fork"},
        {"nqueens", "placements of n queens that do not attack each other"},
        {"matmul", "matrix product of any shape, by tiles of the result", 7},
        {"mergesort", "halves sorted in parallel, then merged"},
        {"quicksort", "both sides of a pivot sorted in parallel"},
        {"sum", "sum of an array, by halves"},
        {"simpson", "adaptive integration by Simpson's rule"},
        {"uts", "unbalanced tree search: a bushy tree, and a deep one"},
        {"skynet", "a tree of fan-out ten, with a million leaves"},
        {"algorithms", "loops, sums, scans, sorts and searches over numbers", 7},
        {"latency", "from submission by another thread to the start on an idle pool", 7},
        {"outside", "bursts of empty tasks from threads outside the pool", 7},
        {"strict",
         "divide and conquer by futures, groups and forks: each node joins what it forked", 7},
        {"stealing", "each stealing policy: a tree, a few full queues, one full queue", 15, {2, 8}},
        {"contracts", "tasks that reschedule themselves, compared with queues of tasks", 7},
        {"single", "one contract a call, compared with queues from which one task a time is taken",
         7},
        {"contracts-many", "a million contracts: creating, polling, finding a signal", 7},
        {"contracts-schedule", "the cost of a signal while workers sleep", 7},
        {"stages", "items through a source, parts in parallel, and an end that sees them in order",
         7},
        {"contracts-priority",
         "how long a contract waits while others of low priority are always due", 7},
        {"graph",
         "graphs of empty nodes: a chain, a tree, a wavefront, a random one; loops, subgraphs", 7},
        {"timers", "moving, cancelling and firing timers, and how late they are", 7},
        {"coroutine",
         "waits of coroutines: for a child, a turn, a task, a resource; memory of many", 7},
        {"transfers", "tasks that need exclusive access to a few of many bank accounts", 5},
    };
    return all;
}

} // namespace bench
