// Objects that all threads of a program share from its beginning to its end.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <memory>
#include <new>

namespace weft::inline v0::explorer {

/// Stands for a variable with static storage duration. Each execution has its own: it is
/// constructed by the first `get`, which happens before every other use of it, and destroyed when
/// the scenario has returned. So nothing passes from one execution to the next. A variable of this
/// type must itself be static.
template <class T>
class global {
public:
    /// Nothing is constructed yet.
    constexpr global() noexcept = default;
    global(const global&) = delete;
    global& operator=(const global&) = delete;

    /// The running execution's object. Its constructor must not use this global.
    T& get() const {
        constexpr detail::global_type type{
            .size = sizeof(T),
            .alignment = alignof(T),
            .construct = [](void* storage) { ::new (storage) T(); },
            .destroy = [](void* object) noexcept { std::destroy_at(static_cast<T*>(object)); }};
        return *static_cast<T*>(detail::global_object(this, type));
    }
};

} // namespace weft::inline v0::explorer
