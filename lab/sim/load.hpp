// What is to be scheduled: tasks that make tasks, the same ones whoever runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::sim {

/// Nanoseconds. Whole ones, so that a simulation is the same everywhere.
using time = std::uint64_t;

struct task {
    std::uint64_t seed = 0;
    std::int32_t depth = 0;
};

enum class load_kind : std::uint8_t {
    balanced,  // a binary tree; its leaves work, the others divide
    varied,    // the same, with leaves of very different length
    fibonacci, // a lopsided binary tree
    one_queue, // many tasks in the queue of one core
    skewed,    // many tasks in each queue of an eighth of the cores
    uts,       // an unbalanced tree search: few nodes have many children, most have none
};

/// A task works, and when it ends its children are ready.
class load {
public:
    load(load_kind kind, std::uint32_t size, time leaf = 1000)
        : kind_{kind}, size_{size}, leaf_{leaf} {}

    [[nodiscard]] load_kind kind() const { return kind_; }
    [[nodiscard]] std::string name() const;

    /// The tasks that are there at first in the queue of a core.
    [[nodiscard]] std::vector<task> first_tasks(std::size_t core, std::size_t cores) const;
    [[nodiscard]] time length(const task& of) const;
    void children(const task& of, std::vector<task>& to) const;

private:
    load_kind kind_;
    std::uint32_t size_;
    time leaf_;
};

/// All work, the longest chain, and how many tasks there are.
struct work_law {
    time work = 0;
    time span = 0;
    std::uint64_t tasks = 0;
};
[[nodiscard]] work_law measure(const load& of, std::size_t cores);

/// "balanced:14", "one-queue:65536"; throws std::invalid_argument that says what is wrong.
[[nodiscard]] load read_load(std::string_view text, time leaf = 1000);
/// The kinds with what their number means, a line each, which begins with its line break.
[[nodiscard]] std::string load_names();

} // namespace weft::sim
