// Errors of the lab, with a code for programs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <weft/api.hpp>

namespace weft::inline v0::petri {

/// The kind of an error.
enum class fault : std::uint8_t {
    bad_net,     ///< a net is built wrongly, for example with a name twice
    not_enabled, ///< a transition that is not enabled was to fire
    bad_trace,   ///< a trace does not fit the net or is ambiguous
    bad_file,    ///< a file is malformed; the message begins with the line
    overflow,    ///< the number of tokens in a place is too large
};

/// The one error of the lab; its message says what was wrong.
class WEFT_API error : public std::runtime_error {
public:
    /// An error of this kind.
    error(fault code, const std::string& message) : std::runtime_error{message}, code_{code} {}
    /// The kind.
    [[nodiscard]] fault code() const noexcept { return code_; }

private:
    fault code_;
};

} // namespace weft::inline v0::petri
