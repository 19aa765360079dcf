// Variables that the whole process shares.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/global.hpp>
#endif

namespace weft::inline v0::sync {

#ifdef WEFT_MODEL
using explorer::global;
#else

/// A `T` with static storage duration: a variable of this type is a static one. In model builds
/// each execution has a `T` of its own.
template <class T>
class global {
public:
    constexpr global() = default;
    global(const global&) = delete;
    global& operator=(const global&) = delete;

    T& get() noexcept { return value_; }

private:
    T value_;
};

#endif

} // namespace weft::inline v0::sync
