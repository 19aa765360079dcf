// Looking at tickets that others use, and that may be gone.
#pragma once

#include "sync/peek.hpp"

#include <weft/detail/lockfree/registry.hpp>
#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/ticket.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace weft::inline v0::detail {

using short_text = std::array<char, 64>;

/// A copy of text that may be gone: empty if there is none.
short_text peek_text(const char* from) noexcept;

struct seen_entry {
    const void* word;
    std::uint32_t weight;
    entry_use use;
};
struct seen_ticket {
    const ticket* id;
    std::uint32_t entries;
    const char* name; // or null; may be gone
};

/// "write", "read" or "take 2".
short_text mode_of(const seen_entry& claim) noexcept;
/// Of a `resource_name`, or empty.
short_text name_of_word(const void* word) noexcept;

/// What there is now, looked at as it is asked for. Nothing is kept, nothing is allocated.
class live_view {
public:
    /// `use(seen_ticket)` returns false to end it.
    template <class Use>
    void each_ticket(Use use) const {
        bool goes_on = true;
        tickets_.visit([&](const void* at) {
            seen_ticket seen{};
            if (goes_on && look(static_cast<const ticket*>(at), seen)) goes_on = use(seen);
        });
    }
    template <class Use>
    void each_entry(const seen_ticket& of, Use use) const {
        for (std::uint32_t i = 0; i < of.entries; ++i) {
            seen_entry seen{};
            if (!look(of.id, i, seen)) return; // it is gone
            use(seen);
        }
    }
    [[nodiscard]] static short_text name_of(const seen_ticket& each) noexcept {
        return peek_text(each.name);
    }
    /// Who was granted it.
    template <class Use>
    void each_holder(const void* word, Use use) const {
        each_ticket([&](const seen_ticket& holder) {
            each_entry(holder, [&](const seen_entry& claim) {
                if (claim.use == entry_use::has && claim.word == word) use(holder);
            });
            return true;
        });
    }

    explicit live_view(const registry& tickets) noexcept : tickets_{tickets} {}

private:
    static bool look(const ticket* at, seen_ticket& seen) noexcept;
    static bool look(const ticket* of, std::uint32_t index, seen_entry& seen) noexcept;

    const registry& tickets_;
};

} // namespace weft::inline v0::detail
