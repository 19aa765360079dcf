// Looking at tickets that others use, and that may be gone.
#pragma once

#include "sync/peek.hpp"

#include <weft/detail/lockfree/registry.hpp>
#include <weft/detail/sequence/slot.hpp>
#include <weft/detail/sequence/ticket.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace weft::inline v0::detail {

using short_text = std::array<char, 64>;

/// A copy of text that may be gone: empty if there is none.
short_text peek_text(const char* from) noexcept;

struct seen_slot {
    const void* word;
    std::uint32_t weight;
    slot_use use;
};
struct seen_ticket {
    const ticket* id;
    std::uint32_t slots;
    const char* name; // or null; may be gone
};

/// "write", "read" or "take 2".
short_text mode_of(const seen_slot& claim) noexcept;
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
    void each_slot(const seen_ticket& of, Use use) const {
        for (std::uint32_t i = 0; i < of.slots; ++i) {
            seen_slot seen{};
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
            each_slot(holder, [&](const seen_slot& claim) {
                if (claim.use == slot_use::has && claim.word == word) use(holder);
            });
            return true;
        });
    }

    explicit live_view(const registry& tickets) noexcept : tickets_{tickets} {}

private:
    static bool look(const ticket* at, seen_ticket& seen) noexcept;
    static bool look(const ticket* of, std::uint32_t index, seen_slot& seen) noexcept;

    const registry& tickets_;
};

} // namespace weft::inline v0::detail
