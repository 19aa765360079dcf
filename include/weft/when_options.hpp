// Options of a task that needs resources.
#pragma once

#include <weft/priority.hpp>

#include <stop_token>

namespace weft::inline v0 {

/// Options of `when(…).submit` and `when(…).hold`.
struct when_options {
    /// The task's name in the reports of `waits`: a literal, or text that outlives the task.
    const char* name = nullptr;
    /// Checked until the task starts. If stop was requested, the task passes its turns on as they
    /// come, without using them, and ends as `errc::cancelled` when the last one has come.
    std::stop_token stop = {};
    /// Which of the ready tasks a worker runs first. The order within a resource's queue is not
    /// affected.
    weft::priority priority = weft::priority::normal;
};

} // namespace weft::inline v0
