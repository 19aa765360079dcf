// Loads: tasks that create tasks. A load is the same whichever core runs its tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::sim {

/// Nanoseconds, as integers so that a simulation gives the same result on every machine.
using time = std::uint64_t;

struct task {
    std::uint64_t seed = 0;
    std::int32_t depth = 0;
};

enum class load_kind : std::uint8_t {
    balanced,  // a binary tree; its leaves work, the others divide
    varied,    // the same, with leaves of widely varying length
    fibonacci, // a lopsided binary tree
    one_queue, // many tasks in one core's queue
    skewed,    // many tasks in each queue of an eighth of the cores
    uts,       // an unbalanced tree search: a few nodes have many children, most have none
};

/// A task computes for a while; when it ends, its children become ready.
class load {
public:
    load(load_kind kind, std::uint32_t size, time leaf = 1000)
        : kind_{kind}, size_{size}, leaf_{leaf} {}

    [[nodiscard]] load_kind kind() const { return kind_; }
    [[nodiscard]] std::string name() const;

    /// The tasks in a core's queue at the start.
    [[nodiscard]] std::vector<task> first_tasks(std::size_t core, std::size_t cores) const;
    [[nodiscard]] time length(const task& item) const;
    /// Replaces the contents of `made` with the task's children.
    void children(const task& item, std::vector<task>& made) const;

private:
    load_kind kind_;
    std::uint32_t size_;
    time leaf_;
};

/// The total work, the longest chain of tasks, and the number of tasks.
struct work_law {
    time work = 0;
    time span = 0;
    std::uint64_t tasks = 0;
};
[[nodiscard]] work_law measure(const load& workload, std::size_t cores);

/// Parses "balanced:14" or "one-queue:65536". Throws std::invalid_argument with an explanation.
[[nodiscard]] load read_load(std::string_view text, time leaf = 1000);
/// A line for each kind with the meaning of its number. Each line starts with a line break.
[[nodiscard]] std::string load_names();

} // namespace weft::sim
