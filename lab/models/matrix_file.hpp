// Matrices in text files.
#pragma once

#include "models/problems.hpp"

#include <cstddef>
#include <string_view>

namespace weft::models {

/// The most rows or columns of a matrix that a net multiplies.
inline constexpr std::size_t most_rows = 100;

/// A row on each line: whole numbers of 32 bits, between them spaces, or a comma or semicolon.
/// Ignores empty lines, and what follows a '#'. Errors are of kind bad_file and begin with the
/// line.
[[nodiscard]] matrix read_matrix(std::string_view text);

/// The product of two matrices. Throws an error of kind bad_net if they do not fit together, or if
/// a sum might need more than 32 bits.
[[nodiscard]] matrix_product product_of(matrix a, matrix b);

} // namespace weft::models
