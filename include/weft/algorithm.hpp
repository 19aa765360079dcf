// Parallel algorithms.
//
// A call divides its work when another worker has none, and not before: there is no grain to tune.
// A loop that is short, or that runs while all workers are busy, costs what a serial loop costs.
#pragma once

#include <weft/index_range.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_find.hpp>
#include <weft/parallel_for.hpp>
#include <weft/parallel_options.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/parallel_scan.hpp>
#include <weft/parallel_sort.hpp>
