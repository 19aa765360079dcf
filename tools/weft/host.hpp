// What this program runs on, and what it was made by.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace weft::cli {

/// "g++ 12.2.0, release build".
[[nodiscard]] std::string compiler_text();
/// The model name, or the architecture where there is none.
[[nodiscard]] std::string processor_text();
/// "Linux 6.1.0".
[[nodiscard]] std::string system_text();

struct cpu_topology {
    std::size_t packages = 0;
    std::size_t cores = 0;
    std::size_t cpus = 0; // hardware threads that are on
    std::size_t nodes = 0;
};
/// Zeros for what the system does not tell.
[[nodiscard]] cpu_topology read_topology();

/// What the kernel answers when asked for an io_uring: nothing if it gives one, else why not.
[[nodiscard]] std::optional<std::string> why_no_io_uring();
/// Whether one thread can have all others pass a fence.
[[nodiscard]] bool has_membarrier();
/// A program in the search path.
[[nodiscard]] bool has_program(const std::string& name);

} // namespace weft::cli
