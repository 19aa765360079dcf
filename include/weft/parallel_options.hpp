// Options of the parallel algorithms.
#pragma once

#include <cstddef>
#include <stop_token>

namespace weft::inline v0 {

/// Options of the parallel algorithms, the last argument of each.
struct parallel_options {
    /// The least number of elements in a piece. 0: the algorithm measures how long elements take,
    /// and divides its work when another worker has none. Rarely worth setting. The blocks of scans
    /// and of `parallel_copy_if` are not larger than some thousand elements, whatever the grain.
    std::size_t grain = 0;
    /// Looked at between elements, several times in a microsecond, or once per grain if there is
    /// one: once stop is requested, the call ends with `errc::cancelled`.
    std::stop_token stop = {};
    /// Of `parallel_reduce` and `parallel_transform_reduce`: groups the elements in a way that
    /// depends on their number and on the grain only, so that a floating-point sum has the same
    /// bits on any number of workers.
    bool reproducible = false;
    /// Of calls from outside the pool: the calling thread runs the first elements itself, for some
    /// tens of microseconds at most, since a short loop is over before a worker has woken. With
    /// false, it runs none.
    bool starts_here = true;
};

} // namespace weft::inline v0
