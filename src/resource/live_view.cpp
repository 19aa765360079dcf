#include "resource/live_view.hpp"

#include <weft/waits.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace weft::inline v0::detail {
namespace {

template <class T>
struct copy_of {
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
    [[nodiscard]] bool read(const T* address) noexcept {
        return sync::peek(address, bytes.data(), bytes.size());
    }
    /// The bytes of an object, not the object: for reading only.
    [[nodiscard]] const T& get() const noexcept {
        return *reinterpret_cast<const T*>(bytes.data());
    }
};

/// UTF-8: a byte that is not the first of its character.
bool is_inside_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

} // namespace

short_text peek_text(const char* source) noexcept {
    short_text text{};
    if (source == nullptr) return text;
    char next = 0;
    std::size_t length = 0;
    // Byte by byte: the page after the text may not be readable.
    for (; sync::peek(source + length, &next, 1) && next != 0 && length + 1 < text.size();
         ++length) {
        const auto byte = static_cast<unsigned char>(next);
        text[length] = byte < ' ' || byte == 0x7f ? '?' : next;
    }
    // If the text is cut off inside a character of several bytes, that character is dropped.
    for (; is_inside_character(next) && length > 0; text[length] = 0) next = text[--length];
    return text;
}

short_text mode_of(const seen_entry& claim) noexcept {
    short_text text{};
    const auto put = [&](std::string_view word) {
        std::copy(word.begin(), word.end(), text.begin()); // NOLINT(modernize-use-ranges)
    };
    copy_of<limit_word> limit{};
    if (claim.weight == 0 || claim.weight == limit_word::most_capacity) {
        put("write");
    } else if (limit.read(
                   static_cast<const limit_word*>(static_cast<const resource_word*>(claim.word))) &&
               limit.get().capacity() == limit_word::most_capacity) {
        put("read");
    } else {
        constexpr std::string_view take = "take ";
        put(take);
        std::to_chars(text.data() + take.size(), text.data() + text.size() - 1, claim.weight);
    }
    return text;
}

bool live_view::read(const ticket* address, seen_ticket& seen) noexcept {
    copy_of<ticket> copy{};
    if (!copy.read(address)) return false;
    seen.id = address;
    seen.entries = copy.get().count_;
    seen.name = copy.get().name;
    return true;
}

bool live_view::read(const ticket* owner, std::uint32_t index, seen_entry& seen) noexcept {
    copy_of<queue_entry> copy{};
    if (!copy.read(reinterpret_cast<const queue_entry*>(owner + 1) + index)) return false;
    const queue_entry& found = copy.get();
    seen = {found.word, found.weight, found.use};
    return found.owner.read() == owner;
}

} // namespace weft::inline v0::detail
