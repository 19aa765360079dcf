// Data that several threads access, ordered by other operations.
#pragma once

#include <weft/detail/sync/backend.hpp>

#include <utility>

namespace weft::inline v0::sync {

#ifdef WEFT_MODEL
using explorer::plain;
#else

/// A plain member, marked as shared: in model builds the explorer checks that its accesses are
/// ordered.
template <class T>
class plain {
public:
    constexpr plain() = default;
    constexpr explicit(false) plain(T value) : value_{std::move(value)} {}
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    const T& read() const noexcept { return value_; }
    void write(T value) { value_ = std::move(value); }
    T& modify() noexcept { return value_; }
    void label(const char* /*name*/) noexcept {}

private:
    T value_{};
};

#endif

} // namespace weft::inline v0::sync
