// What goes wrong in the lab, with a code for programs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace weft::petri {

enum class fault : std::uint8_t {
    bad_net,     ///< a net is built wrongly: a name twice, a place of another net
    not_enabled, ///< a transition was to fire that may not
    bad_trace,   ///< a trace names what the net has not, or is ambiguous
    bad_file,    ///< a file is not what it should be; the message has the line
    overflow,    ///< more tokens in a place than can be counted
};

class error : public std::runtime_error {
public:
    error(fault code, const std::string& message) : std::runtime_error{message}, code_{code} {}
    [[nodiscard]] fault code() const noexcept { return code_; }

private:
    fault code_;
};

} // namespace weft::petri
