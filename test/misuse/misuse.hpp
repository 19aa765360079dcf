#pragma once

#include <weft/error.hpp>

#include <functional>

namespace weft::test {

/// A wrong call, and the error that it must give.
struct misuse {
    const char* call; ///< what the message must begin with
    errc code;
    std::function<void()> wrong;
};

} // namespace weft::test
