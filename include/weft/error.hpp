// The one error type of weft.
#pragma once

#include <weft/api.hpp>

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace weft::inline v0 {

/// What went wrong, for programs. `describe` says it in words.
enum class errc : std::uint8_t {
    invalid_argument, ///< an argument is outside its documented range
    outside_pool,     ///< the call needs a worker of a pool to run on
    stopped,          ///< the pool or group takes no more work
    not_run,          ///< the task was still queued when its pool was stopped
    cancelled,        ///< the task was cancelled before it started
    would_deadlock,   ///< waiting here could never end
    stack_exhausted,  ///< too little stack is left to run another task on it
    full,             ///< a bounded group holds as much as it may
    overweight,       ///< the task weighs more than its limit allows at all
    broken,           ///< a completion was dropped without being completed
    no_thread,        ///< the system gave no further thread
};

/// The enumerator's name, as it is written in code.
[[nodiscard]] WEFT_API std::string_view name_of(errc code) noexcept;
/// One sentence, without the call that it happened in.
[[nodiscard]] WEFT_API std::string_view describe(errc code) noexcept;

/// Thrown by calls that cannot do what they were asked. The message names the call.
class WEFT_API error : public std::runtime_error {
public:
    /// `call` names the call, and what it was given if that helps: "weft::pool::submit".
    error(errc code, std::string_view call);
    ~error() override;
    /// A copy; it throws nothing.
    error(const error&) = default;
    /// A copy; it throws nothing.
    error& operator=(const error&) = default;

    /// What went wrong, for programs.
    [[nodiscard]] errc code() const noexcept { return code_; }

private:
    errc code_;
};

} // namespace weft::inline v0
