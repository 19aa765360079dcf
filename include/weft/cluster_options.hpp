// Options of a cluster and of its runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace weft::inline v0 {

class pool;

/// How tasks get from ranks that have many to ranks that have none.
enum class balancing : std::uint8_t {
    plan,     ///< all ranks compute one plan for all of them, and send accordingly
    random,   ///< a rank without tasks asks random ranks for half of theirs
    lifeline, ///< the same a few times; then it waits for tasks of its neighbours in a hypercube
};

/// Options of a cluster.
struct cluster_options {
    /// The number of workers of each rank; 0: the thread that calls `run` runs the tasks, and there
    /// is no pool. Without a value: one per usable CPU.
    std::optional<std::size_t> workers = std::nullopt;
    /// Workers of this pool run the tasks, along with the pool's other work. It must outlive the
    /// cluster. Null: the cluster has a pool of its own.
    weft::pool* pool = nullptr;
};

/// What the ranks have done so far.
struct cluster_progress {
    std::vector<std::uint64_t> tasks; ///< tasks run, by rank
};

/// Options of one run. They must be equal on all ranks, but for `progress`, which is called on rank
/// 0 only.
struct cluster_run_options {
    /// The policy.
    weft::balancing balancing = balancing::plan;
    /// The file for checkpoints; empty: none. If it exists, the run continues from it, on any
    /// number of ranks; when the run has ended, it is removed. Only rank 0 uses it.
    std::filesystem::path checkpoint = {};
    /// The time between two checkpoints.
    std::chrono::milliseconds every = std::chrono::minutes{1};
    /// Called on rank 0, by the thread that called `run`, every `progress_every`. Must not throw,
    /// and must not call the cluster; other ranks wait while it runs.
    std::function<void(const cluster_progress&)> progress = nullptr;
    /// The time between two calls of `progress`.
    std::chrono::milliseconds progress_every = std::chrono::seconds{1};
};

} // namespace weft::inline v0
