// Divide and conquer on several machines, over MPI.
//
// A library of its own, weft::cluster: weft/weft.hpp does not include this header.
#pragma once

#include <weft/api.hpp>
#include <weft/cluster_options.hpp>
#include <weft/cluster_problem.hpp>
#include <weft/detail/cluster/problem_store.hpp>
#include <weft/detail/cluster/range_problem.hpp>
#include <weft/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::inline v0 {

namespace detail {
class cluster_core;
} // namespace detail

/// A task, or the work of a loop, has thrown on some rank; of several, one is named. On a rank
/// whose own tasks have thrown, the first of their exceptions is nested in this one.
class WEFT_API cluster_error : public error {
public:
    /// The rank, and what the exception there said.
    cluster_error(int rank, std::string_view text);
    ~cluster_error() override;
    /// Copies; does not throw.
    cluster_error(const cluster_error&) = default;
    /// Copies; does not throw.
    cluster_error& operator=(const cluster_error&) = default;
    /// The rank on which it was thrown.
    [[nodiscard]] int rank() const noexcept { return rank_; }

private:
    int rank_;
};

/// The processes of an MPI program, the *ranks*, as one machine. Every rank runs the same program,
/// makes a cluster and calls the same members in the same order; each call is made by all ranks,
/// and returns on all of them. They may be called by any thread outside the cluster's pool, one at
/// a time.
class WEFT_API cluster {
public:
    /// All ranks of `communicator`. Initialises MPI if the program has not; then the destructor
    /// finalises it. Throws `errc::invalid_argument` if MPI was initialised with a lower level than
    /// MPI_THREAD_SERIALIZED, unless there are 0 workers; also what the constructor of a pool
    /// throws.
    explicit cluster(cluster_options options = {}, MPI_Comm communicator = MPI_COMM_WORLD);
    ~cluster();
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;

    /// The number of this rank.
    [[nodiscard]] int rank() const noexcept;
    /// How many ranks there are.
    [[nodiscard]] int size() const noexcept;
    /// Workers of this rank, at least 1.
    [[nodiscard]] std::size_t workers() const noexcept;

    /// Works on the root task of rank 0, and on all tasks that come from it, on all ranks; returns
    /// the combination of all partial results, on every rank. Throws `cluster_error` on every rank
    /// if a task throws on one, `errc::rank_mismatch` if the ranks do not run the same problem, and
    /// `errc::checkpoint_failed`. Then the tasks that were left are dropped, but for those in a
    /// checkpoint.
    template <cluster_problem Problem>
    [[nodiscard]] typename Problem::result run(const Problem& problem,
                                               const typename Problem::task& root,
                                               const cluster_run_options& options = {}) {
        detail::problem_store<Problem> store{problem, workers()};
        if (rank() == 0) store.add_root(root);
        run_tasks(store, options);
        return store.take_result();
    }

    /// Calls `body(index)` once for each index from `first` to `last - 1`, each on some rank.
    /// Ranges are divided while some rank has nothing to do. `body` must mean the same on all
    /// ranks. Throws as `run`.
    template <class Body>
        requires std::invocable<const Body&, std::int64_t>
    void for_each(std::int64_t first, std::int64_t last, const Body& body,
                  const cluster_run_options& options = {}) {
        const detail::loop_problem<Body> loop{&body, grain_of(first, last)};
        static_cast<void>(run(loop, {first, last}, options));
    }

    /// Combines `start` with `transform(index)` of all indices from `first` to `last - 1`, in any
    /// order; the same result on all ranks. `combine(a, b)` must be commutative and associative.
    /// With floating point numbers, runs may round differently. Throws as `run`.
    template <class T, class Combine, class Transform>
        requires detail::is_sendable<T> && std::invocable<const Transform&, std::int64_t>
    [[nodiscard]] T transform_reduce(std::int64_t first, std::int64_t last, T start,
                                     const Combine& combine, const Transform& transform,
                                     const cluster_run_options& options = {}) {
        const detail::reduction_problem<T, Combine, Transform> reduction{&combine, &transform,
                                                                         grain_of(first, last)};
        auto total = run(reduction, {first, last}, options);
        return total.has_value ? combine(std::move(start), std::move(total.value)) : start;
    }

    /// The value of rank `source`, on all ranks. Throws `errc::invalid_argument` for a rank that
    /// does not exist.
    template <class T>
        requires detail::is_sendable<T>
    [[nodiscard]] T broadcast(const T& value, int source = 0) {
        std::vector<std::byte> bytes;
        if (rank() == source) detail::byte_writer{bytes}(value);
        broadcast_bytes(bytes, source);
        T received{};
        detail::byte_reader{bytes}(received);
        return received;
    }

private:
    void run_tasks(detail::task_store& tasks, const cluster_run_options& options);
    void broadcast_bytes(std::vector<std::byte>& bytes, int source);
    [[nodiscard]] std::int64_t grain_of(std::int64_t first, std::int64_t last) const noexcept;

    std::unique_ptr<detail::cluster_core> core_;
};

} // namespace weft::inline v0
