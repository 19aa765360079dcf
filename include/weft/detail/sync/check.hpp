// Assertions of checked builds.
#pragma once

#include <weft/api.hpp>

#ifdef WEFT_MODEL
#include <weft/explorer/explore.hpp>
#endif

namespace weft::inline v0::sync {

/// Prints the message and the place in the source, and aborts.
[[noreturn]] WEFT_API void check_failed(const char* message, const char* file, int line) noexcept;

} // namespace weft::inline v0::sync

// WEFT_CHECK(condition, message): the program is wrong unless the condition holds. Checked builds
// abort with the message, model builds report the interleaving, others do not evaluate the
// condition.
#if defined(WEFT_MODEL)
#define WEFT_CHECK(condition, message)                                                             \
    ::weft::explorer::check(static_cast<bool>(condition), message)
#elif defined(WEFT_CHECKED)
#define WEFT_CHECK(condition, message)                                                             \
    (static_cast<bool>(condition) ? void()                                                         \
                                  : ::weft::sync::check_failed(message, __FILE__, __LINE__))
#else
#define WEFT_CHECK(condition, message) static_cast<void>(0)
#endif
