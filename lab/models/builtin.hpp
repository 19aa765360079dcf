// Nets by name, for the command line.
#pragma once

#include <weft/lab/net.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {

struct builtin_name {
    std::string pattern; // "kanban:N"
    std::string summary;
};

[[nodiscard]] const std::vector<builtin_name>& builtin_names();

/// The net with a name such as "mss:4x5x6:3"; none if no built-in net has the part before the first
/// ':'. Throws an error if the rest is wrong.
[[nodiscard]] std::optional<petri::net> builtin(std::string_view name);

/// The sizes and cores of "4x5x6:3".
struct matrix_sizes {
    std::size_t m = 4;
    std::size_t n = 5;
    std::size_t p = 6;
    std::size_t cores = 3;
};
[[nodiscard]] matrix_sizes read_matrix_sizes(std::string_view text);

} // namespace weft::models
