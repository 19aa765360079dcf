// The error type of weft, and its codes.
#pragma once

#include <weft/api.hpp>

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace weft::inline v0 {

/// What went wrong, as a code. `describe` says it in words.
enum class errc : std::uint8_t {
    invalid_argument,  ///< an argument is outside its documented range
    outside_pool,      ///< the call must be made on a worker of a pool
    stopped,           ///< the pool or group accepts no more work
    not_run,           ///< the task had not begun when its pool was stopped
    cancelled,         ///< the task was cancelled before it started
    would_deadlock,    ///< waiting here could never end
    stack_exhausted,   ///< too little stack is left to run another task on it
    full,              ///< the group, the list of work sources of the pool, or the graph is full
    overweight,        ///< the task's weight is above the limit's whole capacity
    broken,            ///< a completion was dropped without being completed
    node_failed,       ///< a node of a graph threw an exception, which is nested in this one
    no_thread,         ///< the system could not create another thread
    timed_out,         ///< the deadline came before the result
    rank_failed,       ///< a task has thrown an exception on some rank of a cluster
    rank_mismatch,     ///< the ranks of a cluster do not run the same problem
    checkpoint_failed, ///< the checkpoint of a cluster's run cannot be written or read
};

/// The name of the enumerator: "would_deadlock".
[[nodiscard]] WEFT_API std::string_view name_of(errc code) noexcept;
/// One sentence, without the name of the call.
[[nodiscard]] WEFT_API std::string_view describe(errc code) noexcept;

/// Thrown by calls that cannot do what they were asked to. The message names the call.
class WEFT_API error : public std::runtime_error {
public:
    /// `call` is the name of the call, with its arguments if that helps: "weft::pool::submit".
    error(errc code, std::string_view call);
    ~error() override;
    /// Copies; does not throw.
    error(const error&) = default;
    /// Copies; does not throw.
    error& operator=(const error&) = default;

    /// The code.
    [[nodiscard]] errc code() const noexcept { return code_; }

private:
    errc code_;
};

} // namespace weft::inline v0
