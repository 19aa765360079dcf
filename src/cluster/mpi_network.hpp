// The network of a communicator.
#pragma once

#include "cluster/nap.hpp"
#include "cluster/network.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace weft::inline v0::detail {

/// Messages by MPI, on a copy of the communicator, so that they never meet those of the program.
/// Besides the messages of a run it has what ranks do together, which is called by the thread that
/// called `run`, on all ranks in the same order. Those calls nap while they wait.
class mpi_network final : public network {
public:
    explicit mpi_network(MPI_Comm communicator);
    ~mpi_network() override;
    mpi_network(const mpi_network&) = delete;
    mpi_network& operator=(const mpi_network&) = delete;

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int size() const noexcept override { return size_; }
    void send(int destination, message_kind kind, std::vector<std::byte> bytes) override;
    [[nodiscard]] bool receive(message& filled) override;
    [[nodiscard]] double now() const noexcept override { return MPI_Wtime(); }

    /// Receives every message of a run that was sent to this rank before the other ranks made this
    /// call. `handle(message)` must not send. Before a rank sends again, all must have returned: it
    /// is followed by something that waits for all ranks.
    template <class Handle>
    void settle(Handle handle) {
        begin_settling();
        message arrived;
        patience waiting{napper_};
        while (!is_settled()) {
            if (receive(arrived)) handle(arrived);
            else waiting.nap();
        }
    }

    /// Whether the number is the same on all ranks.
    [[nodiscard]] bool is_equal(std::uint64_t number);
    void broadcast(std::vector<std::byte>& bytes, int source);
    /// Bytes for one rank, apart from the messages of a run.
    void send_apart(int destination, std::span<const std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> receive_apart(int source);

    [[nodiscard]] napper& sleeper() noexcept { return napper_; }

private:
    struct outgoing {
        MPI_Request request;
        std::vector<std::byte> bytes;
    };

    void wait(MPI_Request& request);
    void forget_sent();
    void begin_settling();
    [[nodiscard]] bool is_settled();
    [[nodiscard]] static int count_of(std::size_t bytes);

    MPI_Comm communicator_ = MPI_COMM_NULL; // for messages of runs
    MPI_Comm apart_ = MPI_COMM_NULL;        // for what ranks do together
    int rank_ = 0;
    int size_ = 0;
    napper napper_;
    std::deque<outgoing> outgoing_; // a deque: MPI reads the bytes, and they must not move
    // Messages of runs since the last time all was settled.
    std::vector<int> sent_;
    std::vector<int> sent_before_;
    int received_ = 0;
    int expected_ = 0;
    MPI_Request settling_ = MPI_REQUEST_NULL;
};

} // namespace weft::inline v0::detail
