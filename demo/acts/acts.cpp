// The list of workloads and their acts.
#include "acts/act.hpp"

#include "acts/contracts/acts.hpp"
#include "acts/graph/acts.hpp"
#include "acts/idle/acts.hpp"
#include "acts/loop/acts.hpp"
#include "acts/matrix/acts.hpp"
#include "acts/nested/acts.hpp"
#include "acts/recurring/acts.hpp"
#include "acts/sum/acts.hpp"
#include "acts/transfers/acts.hpp"

namespace weft::demo {
namespace {

using run_type = outcome (*)(const settings&);

// The acts of libraries that were not found are null.
#ifdef WEFT_DEMO_TBB
constexpr run_type sum_with_tbb = sum::with_tbb;
constexpr run_type nested_with_tbb = nested::with_tbb;
constexpr run_type recurring_with_tbb = recurring::with_tbb;
constexpr run_type idle_with_tbb = idle::with_tbb;
constexpr run_type matrix_with_tbb = matrix::with_tbb;
constexpr run_type loop_with_tbb = loop::with_tbb;
constexpr run_type graph_with_tbb = graph::with_tbb;
#else
constexpr run_type sum_with_tbb = nullptr;
constexpr run_type nested_with_tbb = nullptr;
constexpr run_type recurring_with_tbb = nullptr;
constexpr run_type idle_with_tbb = nullptr;
constexpr run_type matrix_with_tbb = nullptr;
constexpr run_type loop_with_tbb = nullptr;
constexpr run_type graph_with_tbb = nullptr;
#endif
#ifdef WEFT_DEMO_OPENMP
constexpr run_type static_schedule = loop::with_static_schedule;
constexpr run_type dynamic_schedule = loop::with_dynamic_schedule;
#else
constexpr run_type static_schedule = nullptr;
constexpr run_type dynamic_schedule = nullptr;
#endif
#ifdef WEFT_DEMO_ASIO
constexpr run_type nested_with_asio = nested::with_asio;
constexpr run_type transfers_with_strand = transfers::with_strand;
constexpr run_type idle_with_asio = idle::with_asio;
#else
constexpr run_type nested_with_asio = nullptr;
constexpr run_type transfers_with_strand = nullptr;
constexpr run_type idle_with_asio = nullptr;
#endif
#ifdef WEFT_DEMO_MOODYCAMEL
constexpr run_type queue_of_events = contracts::with_queue_of_events;
constexpr run_type queue_of_sources = contracts::with_queue_of_sources;
constexpr run_type recurring_with_moodycamel = recurring::with_moodycamel;
constexpr run_type recurring_in_bulk = recurring::with_moodycamel_in_bulk;
constexpr run_type idle_with_polling = idle::with_polling;
#else
constexpr run_type queue_of_events = nullptr;
constexpr run_type queue_of_sources = nullptr;
constexpr run_type recurring_with_moodycamel = nullptr;
constexpr run_type recurring_in_bulk = nullptr;
constexpr run_type idle_with_polling = nullptr;
#endif

workload sums() {
    return {
        "sum",
        "Sum of many numbers, by halves",
        "One thread per task is too many threads.",
        "seconds",
        "s",
        false,
        {{"std::async", side::today, "one thread per half", sum::with_async, conduct::busy, false},
         {"std::async, cut off", side::good, "threads down to a depth, then serial",
          sum::with_async_and_cut_off},
         {"oneTBB", side::good, "task_group", sum_with_tbb},
         {"serial", side::good, "one thread", sum::serially},
         {"weft", side::ours, "fork_join", sum::with_weft}}};
}

workload skewed_loop() {
    return {"loop",
            "A loop whose last elements take a thousand times as long",
            "Equal shares of the indices are not equal shares of the work.",
            "seconds",
            "s",
            false,
            {{"OpenMP, static", side::today, "parallel for; its usual schedule", static_schedule},
             {"OpenMP, dynamic", side::good, "the same with chunks of 8", dynamic_schedule},
             {"oneTBB", side::good, "parallel_for", loop_with_tbb},
             {"serial", side::good, "one thread", loop::serially},
             {"weft", side::ours, "parallel_for", loop::with_weft}}};
}

workload repeated_graph() {
    return {
        "graph",
        "A frame of a game: a graph of 28 short nodes, run up to 100,000 times",
        "What is built once need not be built for each run. All nodes together compute for about "
        "10 µs.",
        "run_time",
        "µs",
        false,
        {{"std::async", side::today, "a thread per node, futures for edges", graph::with_async,
          conduct::busy, false},
         {"mutex pool", side::today, "a task per node, level by level", graph::with_levels},
         {"oneTBB", side::good, "flow::graph, built once", graph_with_tbb},
         {"serial", side::good, "one thread, without a graph", graph::serially},
         {"weft", side::ours, "graph, built once", graph::with_weft}}};
}

workload nested_waits() {
    return {
        "nested",
        "Tasks that wait for tasks",
        "A pool whose waits block hangs as soon as all its threads wait.",
        "seconds",
        "s",
        false,
        {{"Asio pool", side::today, "post and std::future", nested_with_asio, conduct::busy, false},
         {"oneTBB", side::good, "task_group", nested_with_tbb},
         {"weft", side::ours, "submit and get", nested::with_weft}}};
}

workload bank_transfers() {
    return {
        "transfers",
        "Transfers between accounts, with audits of all",
        "Locks need an order, and a strand runs one thing at a time; with weft a task names its "
        "accounts.",
        "per_second",
        "transfers/s",
        true,
        {{"mutexes, as named", side::today, "two std::lock_guard, one after the other",
          transfers::with_locks_as_named, conduct::busy, false},
         {"mutexes", side::good, "std::scoped_lock, on threads without tasks",
          transfers::with_scoped_locks},
         {"Asio strand", side::good, "one strand for the bank", transfers_with_strand},
         {"weft", side::ours, "when(write(source), write(target))", transfers::with_weft}}};
}

workload noisy_contracts() {
    return {"contracts",
            "Ten thousand sources of events, one of them noisy",
            "In a queue of events all sources wait behind the noisy one.",
            "wait_p99",
            "µs",
            false,
            {{"queue of events", side::today, "moodycamel's queue, a mutex per source",
              queue_of_events},
             {"queue of sources", side::good, "the same queue, with each source in it at most once",
              queue_of_sources},
             {"weft", side::ours, "a contract per source", contracts::with_weft}}};
}

workload recurring_tasks() {
    return {"recurring",
            "Ten thousand tasks that are always due",
            "The number of runs, and how evenly the tasks get them.",
            "per_second",
            "runs/s",
            true,
            {{"moodycamel", side::good, "its queue, with tokens", recurring_with_moodycamel},
             {"moodycamel, in bulk", side::good, "up to 256 tasks in a call", recurring_in_bulk},
             {"oneTBB queue", side::good, "concurrent_queue", recurring_with_tbb},
             {"weft", side::ours, "contracts that schedule themselves", recurring::with_weft}}};
}

workload idleness() {
    return {
        "idle",
        "Nothing to do",
        "The cost of threads without work.",
        "cpu_percent",
        "% of a CPU",
        false,
        {{"polling", side::today, "try_dequeue and yield", idle_with_polling, conduct::may_sleep},
         {"oneTBB", side::good, "task_group in a task_arena", idle_with_tbb, conduct::may_sleep},
         {"Asio pool", side::good, "asio::thread_pool", idle_with_asio, conduct::may_sleep},
         {"weft", side::ours, "a pool with ten thousand contracts", idle::with_weft,
          conduct::may_sleep}}};
}

workload matrix_products() {
    return {
        "matrix",
        "Matrix product, by recursive halves",
        "One queue of blocks is spread over all workers; the paper's run is replayed on its "
        "Petri net.",
        "seconds",
        "s",
        false,
        {{"serial", side::good, "one thread", matrix::serially},
         {"std::async, cut off", side::good, "threads down to a depth, then serial",
          matrix::with_async},
         {"oneTBB", side::good, "task_group", matrix_with_tbb},
         {"weft, multi-stealing", side::ours, "blocks in one queue", matrix::with_multi_stealing},
         {"weft's lab", side::ours, "the paper's Petri net on three cores", matrix::as_net,
          conduct::busy, false},
         {"weft", side::ours, "fork_join", matrix::with_weft}},
        true};
}

} // namespace

std::span<const workload> workloads() {
    static const std::vector<workload> all{
        sums(),           skewed_loop(),     nested_waits(),    repeated_graph(),
        bank_transfers(), noisy_contracts(), recurring_tasks(), idleness(),
        matrix_products()};
    return all;
}

} // namespace weft::demo
