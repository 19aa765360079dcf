// The machine that this program runs on, and the compiler that built it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace weft::cli {

/// "g++ 12.2.0, release build".
[[nodiscard]] std::string compiler_text();
/// The model name, or the architecture if the system gives no name.
[[nodiscard]] std::string processor_text();
/// "Linux 6.1.0".
[[nodiscard]] std::string system_text();

struct cpu_topology {
    std::size_t packages = 0;
    std::size_t cores = 0;
    std::size_t cpus = 0; // hardware threads that are online
    std::size_t nodes = 0;
};
/// Numbers that the system does not report are 0.
[[nodiscard]] cpu_topology read_topology();

/// The reason why the kernel provides no io_uring; nothing if it provides one.
[[nodiscard]] std::optional<std::string> io_uring_refusal();
/// Whether the kernel can make all threads of a process execute a fence.
[[nodiscard]] bool has_membarrier();
/// Whether the search path has this program.
[[nodiscard]] bool has_program(const std::string& name);

} // namespace weft::cli
