// Colours are the values of tokens: any regular type that can be hashed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0::petri {

/// The colour of plain tokens.
struct token {
    friend bool operator==(const token&, const token&) = default;
};

namespace detail {

template <class T>
concept has_fields = requires(const T& value) { value.fields(); };

template <class T>
concept has_text = requires(const T& value) {
    { value.text() } -> std::convertible_to<std::string>;
};

template <class T>
concept sequence = requires(const T& value) {
    value.begin();
    value.end();
    value.size();
};

template <class T>
concept tuple_like = requires { std::tuple_size<std::remove_cvref_t<T>>::value; };

template <class T>
concept standard_hash = requires(const T& value) {
    { std::hash<T>{}(value) } -> std::convertible_to<std::size_t>;
};

inline void append_item(std::string& list, const std::string& item) {
    if (list.size() > 1) list += ',';
    list += item;
}

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15U;
    return hash ^ (hash >> 29U);
}

} // namespace detail

/// The hash of a number, string, container or tuple; of a struct by the tuple that its member
/// `fields()` returns; of any other type by std::hash.
template <class T>
[[nodiscard]] std::uint64_t hash_of(const T& value) {
    if constexpr (std::same_as<T, token>) {
        return 0;
    } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
        return detail::mix(1, static_cast<std::uint64_t>(value));
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
        return std::hash<std::string_view>{}(value);
    } else if constexpr (detail::has_fields<T>) {
        return hash_of(value.fields());
    } else if constexpr (detail::sequence<T>) {
        std::uint64_t hash = value.size();
        for (const auto& each : value) hash = detail::mix(hash, hash_of(each));
        return hash;
    } else if constexpr (detail::tuple_like<T>) {
        std::uint64_t hash = 2;
        std::apply([&](const auto&... each) { ((hash = detail::mix(hash, hash_of(each))), ...); },
                   value);
        return hash;
    } else {
        static_assert(detail::standard_hash<T>,
                      "a colour needs fields() or a specialisation of std::hash");
        return std::hash<T>{}(value);
    }
}

/// A colour as text; a struct by its member `text()` or by its fields.
template <class T>
[[nodiscard]] std::string text_of(const T& value) {
    if constexpr (std::same_as<T, token>) {
        return "()";
    } else if constexpr (std::same_as<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<std::int64_t>(value));
    } else if constexpr (detail::has_text<T>) {
        return value.text();
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
        return std::string{std::string_view{value}};
    } else if constexpr (detail::has_fields<T>) {
        return text_of(value.fields());
    } else if constexpr (detail::sequence<T>) {
        std::string text = "[";
        for (const auto& each : value) detail::append_item(text, text_of(each));
        return text += ']';
    } else if constexpr (detail::tuple_like<T>) {
        std::string text = "(";
        std::apply([&](const auto&... each) { (detail::append_item(text, text_of(each)), ...); },
                   value);
        return text += ')';
    } else {
        return "?";
    }
}

/// The approximate heap memory of a value, in bytes.
template <class T>
[[nodiscard]] std::size_t heap_bytes(const T& value) {
    if constexpr (!detail::sequence<T>) {
        return 0;
    } else {
        using item = std::remove_cvref_t<decltype(*value.begin())>;
        const std::size_t own = value.size() * sizeof(item);
        if constexpr (std::is_trivially_copyable_v<item>) {
            return own;
        } else {
            return std::accumulate(
                value.begin(), value.end(), own,
                [](std::size_t sum, const item& each) { return sum + heap_bytes(each); });
        }
    }
}

template <class T>
concept colour = std::regular<T> && requires(const T& value) {
    { hash_of(value) } -> std::same_as<std::uint64_t>;
};

} // namespace weft::inline v0::petri
