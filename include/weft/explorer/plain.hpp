// Shared data that is not atomic: the explorer reports two accesses that nothing orders.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <utility>

namespace weft::explorer {

template <class T>
class plain {
    using site = detail::site;

public:
    plain() : value_{}, object_{detail::plain_born(this, sizeof *this)} {}
    explicit(false) plain(T value)
        : value_{std::move(value)}, object_{detail::plain_born(this, sizeof *this)} {}
    ~plain() { detail::plain_died(object_); }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    void label(const char* name) noexcept { detail::plain_label(object_, name); }

    const T& read(const site& where = site::current()) const {
        if (detail::exploring()) detail::plain_read(object_, where);
        return value_;
    }
    void write(T value, const site& where = site::current()) { modify(where) = std::move(value); }

    /// Counts as a write.
    T& modify(const site& where = site::current()) {
        if (detail::exploring()) detail::plain_write(object_, where);
        return value_;
    }

private:
    T value_;
    detail::handle object_;
};

} // namespace weft::explorer
