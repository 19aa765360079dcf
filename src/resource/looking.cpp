#include "resource/looking.hpp"

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
    [[nodiscard]] bool from(const T* at) noexcept {
        return sync::peek(at, bytes.data(), bytes.size());
    }
    /// The bytes of an object, not the object: only looked at.
    [[nodiscard]] const T& get() const noexcept {
        return *reinterpret_cast<const T*>(bytes.data());
    }
};

/// UTF-8: a byte that is not the first of its character.
bool is_inside_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

} // namespace

short_text peek_text(const char* from) noexcept {
    short_text text{};
    if (from == nullptr) return text;
    char next = 0;
    std::size_t length = 0;
    // One by one: a page may end behind it.
    for (; sync::peek(from + length, &next, 1) && next != 0 && length + 1 < text.size(); ++length) {
        const auto byte = static_cast<unsigned char>(next);
        text[length] = byte < ' ' || byte == 0x7f ? '?' : next;
    }
    // If it is cut off in a character of several bytes, without that.
    for (; is_inside_character(next) && length > 0; text[length] = 0) next = text[--length];
    return text;
}

short_text mode_of(const seen_entry& claim) noexcept {
    short_text text{};
    const auto put = [&](std::string_view what) {
        std::copy(what.begin(), what.end(), text.begin()); // NOLINT(modernize-use-ranges)
    };
    copy_of<limit_word> limit{};
    if (claim.weight == 0 || claim.weight == limit_word::most_capacity) {
        put("write");
    } else if (limit.from(
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

bool live_view::look(const ticket* at, seen_ticket& seen) noexcept {
    copy_of<ticket> copy{};
    if (!copy.from(at)) return false;
    seen.id = at;
    seen.entries = copy.get().count_;
    seen.name = copy.get().name;
    return true;
}

bool live_view::look(const ticket* of, std::uint32_t index, seen_entry& seen) noexcept {
    copy_of<queue_entry> copy{};
    if (!copy.from(reinterpret_cast<const queue_entry*>(of + 1) + index)) return false;
    const queue_entry& found = copy.get();
    seen = {found.word, found.weight, found.use};
    return found.owner.read() == of;
}

} // namespace weft::inline v0::detail
