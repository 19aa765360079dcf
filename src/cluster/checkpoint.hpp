// Checkpoints: the tasks that are left and the results so far, in one file.
#pragma once

#include "cluster/mpi_network.hpp"

#include <weft/detail/cluster/task_store.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::inline v0::detail {

/// Written while no rank works and no message is on its way, so that it is consistent. Rank 0 has
/// the file, and writes the part of one rank after another. The file gets its name when it is
/// complete and on the disk: there is always one whole checkpoint.
class checkpoint {
public:
    checkpoint(mpi_network& messages, task_store& tasks, std::filesystem::path file);

    /// Replaces tasks and result of rank 0, which then has all of them, if the file exists; its
    /// tasks may have been written by any number of ranks. Called by all ranks, as the others.
    void restore();
    void write();
    void remove();

private:
    class output;

    void write_as_root();
    void restore_as_root();
    [[nodiscard]] std::vector<std::byte> part_of_this_rank() const;
    /// Throws on all ranks if `failure` of rank 0 is not empty.
    void agree(const std::string& failure);

    mpi_network* messages_;
    task_store* tasks_;
    std::filesystem::path file_;
};

} // namespace weft::inline v0::detail
