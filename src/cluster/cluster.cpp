#include "cluster/checkpoint.hpp"
#include "cluster/mpi_network.hpp"
#include "cluster/rank_run.hpp"

#include <weft/cluster.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft::inline v0 {

namespace detail {

namespace {

constexpr std::string_view run_name = "weft::cluster::run";

/// Whether this process has initialised MPI, and so finalises it.
class mpi_session {
public:
    explicit mpi_session(bool has_workers) {
        int is_initialised = 0;
        MPI_Initialized(&is_initialised);
        int level = MPI_THREAD_SINGLE;
        if (is_initialised == 0) {
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
            finalises_ = true;
        } else {
            MPI_Query_thread(&level);
        }
        if (has_workers && level < MPI_THREAD_SERIALIZED) {
            if (finalises_) MPI_Finalize();
            throw error{errc::invalid_argument,
                        "weft::cluster: MPI was initialised for fewer threads than "
                        "MPI_THREAD_SERIALIZED; without workers it would be enough"};
        }
    }
    ~mpi_session() {
        if (finalises_) MPI_Finalize();
    }
    mpi_session(const mpi_session&) = delete;
    mpi_session& operator=(const mpi_session&) = delete;

private:
    bool finalises_ = false;
};

std::string text_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& wrong) {
        return wrong.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

} // namespace

class cluster_core {
public:
    cluster_core(const cluster_options& options, MPI_Comm communicator)
        : session_{options.pool != nullptr || options.workers != std::size_t{0}},
          messages_{communicator} {
        if (options.pool != nullptr) {
            pool_ = options.pool;
        } else if (options.workers != std::size_t{0}) {
            own_pool_.emplace(
                pool_options{.workers = options.workers.value_or(0), .name = "weft-rank"});
            pool_ = &*own_pool_;
        }
    }

    [[nodiscard]] mpi_network& messages() noexcept { return messages_; }
    [[nodiscard]] std::size_t workers() const noexcept {
        return pool_ == nullptr ? 1 : pool_->workers();
    }

    void run(task_store& tasks, const cluster_run_options& options) {
        if (!messages_.is_equal(tasks.identity())) throw error{errc::rank_mismatch, run_name};
        if (!messages_.is_equal(static_cast<std::uint64_t>(options.balancing) * 2 +
                                (options.checkpoint.empty() ? 0 : 1))) {
            throw error{errc::rank_mismatch, "weft::cluster::run: other options"};
        }
        if (options.checkpoint.empty()) {
            finish(tasks, work(tasks, options, nullptr));
        } else {
            checkpoint file{messages_, tasks, options.checkpoint};
            file.restore();
            finish(tasks, work(tasks, options, &file));
            file.remove();
        }
    }

private:
    struct end {
        verdict outcome;
        int failed;
        std::exception_ptr failure; // of this rank
    };

    /// Runs tasks until there are none, with pauses for checkpoints.
    end work(task_store& tasks, const cluster_run_options& options, checkpoint* file) {
        rank_run running{messages_, tasks, pool_, workers(), options};
        for (;;) {
            const verdict outcome = running.work();
            running.rest();
            if (outcome != verdict::pause) {
                return {outcome, running.talk().failed(),
                        tasks.failure() ? tasks.failure() : running.talk().failure()};
            }
            // A task that has failed since is in no rank's tasks any more; the next round stops.
            const bool failed = tasks.has_failed() || running.talk().failure();
            const auto number = failed ? static_cast<std::uint64_t>(messages_.rank()) + 1 : 0;
            if (messages_.is_equal(number) && number == 0 && file != nullptr) file->write();
            running.go_on();
        }
    }

    void finish(task_store& tasks, const end& last) {
        if (last.outcome == verdict::stop) {
            tasks.drop_tasks();
            throw_failure(last);
        }
        reduced_result total = reduce(tasks);
        std::vector<std::byte> bytes;
        if (messages_.rank() == 0) byte_writer{bytes}(total);
        messages_.broadcast(bytes, 0);
        byte_reader{bytes}(total);
        if (total.failed >= 0) throw cluster_error{total.failed, total.text};
        tasks.set_result(total.bytes);
    }

    /// The result of some ranks, or why there is none.
    struct reduced_result {
        int failed = -1;
        std::string text{};
        std::vector<std::byte> bytes{};

        template <class Archive>
        void serialize(Archive& archive) {
            archive(failed, text, bytes);
        }
    };

    [[noreturn]] void throw_failure(const end& last) {
        std::vector<std::byte> bytes;
        if (messages_.rank() == last.failed) byte_writer{bytes}(text_of(last.failure));
        messages_.broadcast(bytes, last.failed);
        std::string text;
        byte_reader{bytes}(text);
        if (!last.failure) throw cluster_error{last.failed, text};
        try {
            std::rethrow_exception(last.failure);
        } catch (...) {
            std::throw_with_nested(cluster_error{last.failed, text});
        }
    }

    /// To rank 0, along a binomial tree. What a problem's own functions throw is passed on like a
    /// result, so that no rank waits in vain.
    reduced_result reduce(task_store& tasks) {
        const int rank = messages_.rank();
        reduced_result total;
        const auto attempt = [&](auto action) {
            try {
                if (total.failed < 0) action();
            } catch (...) {
                total = {.failed = rank, .text = text_of(std::current_exception())};
            }
        };
        for (int bit = 1; bit < messages_.size(); bit <<= 1) {
            if ((rank & bit) != 0) {
                attempt([&] { tasks.copy_result(total.bytes); });
                std::vector<std::byte> bytes;
                byte_writer{bytes}(total);
                messages_.send_apart(rank - bit, bytes);
                return total;
            }
            if (rank + bit >= messages_.size()) continue;
            const auto bytes = messages_.receive_apart(rank + bit);
            reduced_result part;
            byte_reader{bytes}(part);
            if (part.failed >= 0) total = std::move(part);
            else attempt([&] { tasks.add_result(part.bytes); });
        }
        attempt([&] { tasks.copy_result(total.bytes); });
        return total;
    }

    mpi_session session_;
    mpi_network messages_;
    pool* pool_ = nullptr;
    std::optional<pool> own_pool_;
};

} // namespace detail

cluster_error::cluster_error(int rank, std::string_view text)
    : error{errc::rank_failed, std::string{detail::run_name} + ": rank " + std::to_string(rank) +
                                   ": " + std::string{text}},
      rank_{rank} {}
cluster_error::~cluster_error() = default;

cluster::cluster(cluster_options options, MPI_Comm communicator)
    : core_{std::make_unique<detail::cluster_core>(options, communicator)} {}
cluster::~cluster() = default;

int cluster::rank() const noexcept { return core_->messages().rank(); }
int cluster::size() const noexcept { return core_->messages().size(); }
std::size_t cluster::workers() const noexcept { return core_->workers(); }

void cluster::run_tasks(detail::task_store& tasks, const cluster_run_options& options) {
    core_->run(tasks, options);
}

void cluster::broadcast_bytes(std::vector<std::byte>& bytes, int source) {
    if (source < 0 || source >= size()) {
        throw error{errc::invalid_argument, "weft::cluster::broadcast"};
    }
    core_->messages().broadcast(bytes, source);
}

/// So that each worker gets 64 pieces, if they are all alike.
std::int64_t cluster::grain_of(std::int64_t first, std::int64_t last) const noexcept {
    constexpr std::int64_t pieces = 64;
    const auto all = pieces * size() * static_cast<std::int64_t>(workers());
    return std::max<std::int64_t>((last - first) / all, 1);
}

} // namespace weft::inline v0
