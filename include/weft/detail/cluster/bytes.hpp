// Values as bytes, for messages and checkpoints. The layout is that of the machine: ranks of one
// cluster have the same.
#pragma once

#include <weft/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

template <class T>
inline constexpr bool is_string_or_vector = false;
template <class Character, class Traits, class Memory>
inline constexpr bool is_string_or_vector<std::basic_string<Character, Traits, Memory>> = true;
template <class T, class Memory>
inline constexpr bool is_string_or_vector<std::vector<T, Memory>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... Fields>
inline constexpr bool is_tuple<std::tuple<Fields...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

template <class T, class Archive>
concept has_serialize_member = requires(T& value, Archive& archive) { value.serialize(archive); };
template <class T, class Archive>
concept has_serialize_function =
    requires(T& value, Archive& archive) { serialize(archive, value); };
template <class T, class Archive>
concept has_serialize = has_serialize_member<T, Archive> || has_serialize_function<T, Archive>;

/// Calls the type's own `serialize`, a member or a function.
template <class Archive, class T>
void call_serialize(Archive& archive, T& value) {
    if constexpr (has_serialize_member<T, Archive>) value.serialize(archive);
    else serialize(archive, value);
}

/// Appends values to a vector of bytes.
class byte_writer {
public:
    explicit byte_writer(std::vector<std::byte>& bytes) noexcept : bytes_{&bytes} {}

    /// What a type's `serialize` calls with its members.
    template <class... Fields>
    void operator()(const Fields&... fields) {
        (write(fields), ...);
    }

private:
    template <class T>
    void write(const T& value) {
        if constexpr (has_serialize<T, byte_writer>) {
            // One function of the type both reads and writes; this archive only reads from it.
            call_serialize(*this, const_cast<T&>(value));
        } else if constexpr (is_string_or_vector<T>) {
            write_elements(value);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            static_assert(!std::is_pointer_v<T>, "a pointer means nothing to another process");
            append(&value, sizeof value);
        } else {
            static_assert(is_tuple<T>, "the type needs a member or function serialize");
            std::apply([this](const auto&... fields) { (*this)(fields...); }, value);
        }
    }
    template <class Container>
    void write_elements(const Container& elements) {
        using element = typename Container::value_type;
        write(static_cast<std::uint64_t>(elements.size()));
        if constexpr (std::is_trivially_copyable_v<element> &&
                      !has_serialize<element, byte_writer> && !std::is_same_v<element, bool>) {
            append(elements.data(), elements.size() * sizeof(element));
        } else {
            for (const element& each : elements) write(each);
        }
    }
    void append(const void* data, std::size_t size) {
        if (size == 0) return;
        const std::size_t before = bytes_->size();
        bytes_->resize(before + size);
        std::memcpy(bytes_->data() + before, data, size);
    }

    std::vector<std::byte>* bytes_;
};

/// Reads what a byte_writer has written, in the same order. Throws `errc::rank_mismatch` if the
/// bytes end too early.
class byte_reader {
public:
    explicit byte_reader(std::span<const std::byte> bytes) noexcept : left_{bytes} {}

    template <class... Fields>
    void operator()(Fields&... fields) {
        (read(fields), ...);
    }
    [[nodiscard]] std::span<const std::byte> left() const noexcept { return left_; }

private:
    template <class T>
    void read(T& value) {
        if constexpr (has_serialize<T, byte_reader>) {
            call_serialize(*this, value);
        } else if constexpr (is_string_or_vector<T>) {
            read_elements(value);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            copy(&value, sizeof value);
        } else {
            static_assert(is_tuple<T>, "the type needs a member or function serialize");
            std::apply([this](auto&... fields) { (*this)(fields...); }, value);
        }
    }
    template <class Container>
    void read_elements(Container& elements) {
        using element = typename Container::value_type;
        std::uint64_t count = 0;
        read(count);
        elements.clear();
        if constexpr (std::is_trivially_copyable_v<element> &&
                      !has_serialize<element, byte_reader> && !std::is_same_v<element, bool>) {
            if (count > left_.size() / sizeof(element)) too_short();
            elements.resize(static_cast<std::size_t>(count));
            copy(elements.data(), elements.size() * sizeof(element));
        } else {
            // Not resized at once: the count of a damaged file may be anything.
            for (std::uint64_t i = 0; i != count; ++i) {
                element next{};
                read(next);
                elements.push_back(std::move(next));
            }
        }
    }
    void copy(void* target, std::size_t size) {
        if (size > left_.size()) too_short();
        if (size != 0) std::memcpy(target, left_.data(), size);
        left_ = left_.subspan(size);
    }
    [[noreturn]] static void too_short() {
        throw error{errc::rank_mismatch, "weft::cluster: reading a task or result"};
    }

    std::span<const std::byte> left_;
};

} // namespace weft::inline v0::detail
