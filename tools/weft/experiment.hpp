// The experiment cores × children of weft mss.
#pragma once

#include "shell/arguments.hpp"

#include "models/problems.hpp"

#include <string>
#include <string_view>

namespace weft::cli {

/// The file experiment.html, in which the figures are to be put.
extern const std::string_view experiment_page;

/// Runs the models for all requested cores and children; prints tables, or writes JSON or a page.
int run_experiment(const models::matrix_product& product, const arguments& request);

} // namespace weft::cli
