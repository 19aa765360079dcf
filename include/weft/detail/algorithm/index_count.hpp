// Indices between two integers of different types.
#pragma once

#include <weft/error.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace weft::inline v0::detail {

/// The number of indices; 0 if there are none.
template <class Index>
[[nodiscard]] std::size_t count_between(Index first, Index last) noexcept {
    if (!(first < last)) return 0;
    using wide = std::make_unsigned_t<std::conditional_t<std::same_as<Index, bool>, int, Index>>;
    // Short types become int where they are subtracted.
    return static_cast<wide>(static_cast<wide>(last) - static_cast<wide>(first));
}

/// The index that is `offset` behind the first, which may be more than the type's largest number.
template <class Index>
[[nodiscard]] Index index_at(Index first, std::size_t offset) noexcept {
    return static_cast<Index>(static_cast<std::size_t>(first) + offset);
}

/// The first index in the common type of both ends.
template <class Index, class First>
[[nodiscard]] Index first_index(First first, const char* name) {
    if constexpr (std::signed_integral<First> && std::unsigned_integral<Index>) {
        if (first < 0) throw error{errc::invalid_argument, name};
    }
    return static_cast<Index>(first);
}

/// The end as the common type, or the first if there is nothing between them.
template <class Index, class Last>
[[nodiscard]] Index last_index(Index first, Last last) noexcept {
    if constexpr (std::signed_integral<Last> && std::unsigned_integral<Index>) {
        if (last < 0) return first;
    }
    return static_cast<Index>(last);
}

} // namespace weft::inline v0::detail
