#include "cluster/mpi_network.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

// The analyzer looks for MPI_Wait; requests are completed by MPI_Test, so that the thread may nap.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
namespace weft::inline v0::detail {

mpi_network::mpi_network(MPI_Comm communicator) {
    MPI_Comm_dup(communicator, &communicator_);
    MPI_Comm_dup(communicator, &apart_);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    sent_.resize(static_cast<std::size_t>(size_));
}

mpi_network::~mpi_network() {
    for (outgoing& each : outgoing_) MPI_Wait(&each.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&apart_);
    MPI_Comm_free(&communicator_);
}

int mpi_network::count_of(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw error{errc::invalid_argument, "weft::cluster: a task or result above 2 GiB"};
    }
    return static_cast<int>(bytes);
}

void mpi_network::send(int destination, message_kind kind, std::vector<std::byte> bytes) {
    const int count = count_of(bytes.size());
    forget_sent();
    outgoing_.push_back({.request = MPI_REQUEST_NULL, .bytes = std::move(bytes)});
    outgoing& made = outgoing_.back();
    MPI_Isend(made.bytes.data(), count, MPI_BYTE, destination, static_cast<int>(kind),
              communicator_, &made.request);
    ++sent_[static_cast<std::size_t>(destination)];
}

/// Those that have left, the oldest first.
void mpi_network::forget_sent() {
    while (!outgoing_.empty()) {
        int has_left = 0;
        MPI_Test(&outgoing_.front().request, &has_left, MPI_STATUS_IGNORE);
        if (has_left == 0) return;
        outgoing_.pop_front();
    }
}

bool mpi_network::receive(message& filled) {
    int arrived = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &arrived, &status);
    if (arrived == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    filled.source = status.MPI_SOURCE;
    filled.kind = static_cast<message_kind>(status.MPI_TAG);
    filled.bytes.resize(static_cast<std::size_t>(count));
    // The message that was probed: no other thread receives meanwhile.
    MPI_Recv(filled.bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, communicator_,
             MPI_STATUS_IGNORE);
    ++received_;
    return true;
}

void mpi_network::wait(MPI_Request& request) {
    patience waiting{napper_};
    for (;;) {
        int complete = 0;
        MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
        if (complete != 0) return;
        waiting.nap();
    }
}

void mpi_network::begin_settling() {
    sent_before_ = sent_;
    MPI_Ireduce_scatter_block(sent_before_.data(), &expected_, 1, MPI_INT, MPI_SUM, apart_,
                              &settling_);
}

bool mpi_network::is_settled() {
    forget_sent();
    if (settling_ != MPI_REQUEST_NULL) {
        int complete = 0;
        MPI_Test(&settling_, &complete, MPI_STATUS_IGNORE);
        if (complete == 0) return false;
    }
    if (received_ != expected_) return false;
    std::ranges::fill(sent_, 0);
    received_ = 0;
    return true;
}

bool mpi_network::is_equal(std::uint64_t number) {
    std::array<std::uint64_t, 2> number_and_inverse{number, ~number};
    std::array<std::uint64_t, 2> least{};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(number_and_inverse.data(), least.data(), 2, MPI_UINT64_T, MPI_MIN, apart_,
                   &request);
    wait(request);
    return least[0] == number && least[1] == ~number;
}

void mpi_network::broadcast(std::vector<std::byte>& bytes, int source) {
    MPI_Request request = MPI_REQUEST_NULL;
    std::uint64_t size = bytes.size();
    MPI_Ibcast(&size, 1, MPI_UINT64_T, source, apart_, &request);
    wait(request);
    const int count = count_of(static_cast<std::size_t>(size)); // throws on all ranks or none
    bytes.resize(static_cast<std::size_t>(size));
    MPI_Ibcast(bytes.data(), count, MPI_BYTE, source, apart_, &request);
    wait(request);
}

void mpi_network::send_apart(int destination, std::span<const std::byte> bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, destination, 0, apart_, &request);
    wait(request);
}

std::vector<std::byte> mpi_network::receive_apart(int source) {
    patience waiting{napper_};
    int arrived = 0;
    MPI_Status status{};
    for (;;) {
        MPI_Iprobe(source, 0, apart_, &arrived, &status);
        if (arrived != 0) break;
        waiting.nap();
    }
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(bytes.data(), count, MPI_BYTE, source, 0, apart_, &request);
    wait(request);
    return bytes;
}

} // namespace weft::inline v0::detail
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
