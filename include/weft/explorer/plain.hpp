// Shared data that is not atomic: the explorer reports unordered accesses.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <utility>

namespace weft::inline v0::explorer {

/// A `T` that threads share without atomic operations. Two unordered accesses, at least one of
/// them a write, are a data race and end the exploration.
template <class T>
class plain {
    using site = detail::site;

public:
    /// Holds `T{}`.
    plain() : value_{}, object_{detail::plain_born(this, sizeof *this)} {}
    /// Holds `value`.
    explicit(false) plain(T value)
        : value_{std::move(value)}, object_{detail::plain_born(this, sizeof *this)} {}
    ~plain() { detail::plain_died(object_); }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    /// The name under which traces show this object: a literal.
    void label(const char* name) noexcept { detail::plain_label(object_, name); }

    /// Returns the value; counts as a read.
    const T& read(const site& place = site::current()) const {
        if (detail::exploring()) detail::plain_read(object_, place);
        return value_;
    }
    /// Stores `value`; counts as a write.
    void write(T value, const site& place = site::current()) { modify(place) = std::move(value); }

    /// Returns the value to be changed; counts as a write.
    T& modify(const site& place = site::current()) {
        if (detail::exploring()) detail::plain_write(object_, place);
        return value_;
    }

private:
    T value_;
    detail::handle object_;
};

} // namespace weft::inline v0::explorer
