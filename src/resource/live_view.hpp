// Reading tickets that other threads use, and that may be freed meanwhile.
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

/// A copy of text that may be freed meanwhile: empty if it is null or cannot be read.
short_text peek_text(const char* source) noexcept;

struct seen_entry {
    const void* word;
    std::uint32_t weight;
    entry_use use;
};
struct seen_ticket {
    const ticket* id;
    std::uint32_t entries;
    const char* name; // or null; may be freed
};

/// "write", "read" or "take 2".
short_text mode_of(const seen_entry& claim) noexcept;
/// The text of the `resource_name`, or empty.
short_text name_of_word(const void* word) noexcept;

/// The tickets that exist now, each read when it is visited. Nothing is kept, nothing is allocated.
class live_view {
public:
    template <class Use>
    void each_ticket(Use use) const {
        tickets_.visit([&](const void* address) {
            seen_ticket seen{};
            if (read(static_cast<const ticket*>(address), seen)) use(seen);
        });
    }
    template <class Use>
    void each_entry(const seen_ticket& owner, Use use) const {
        for (std::uint32_t i = 0; i < owner.entries; ++i) {
            seen_entry seen{};
            if (!read(owner.id, i, seen)) return; // it was freed
            use(seen);
        }
    }
    [[nodiscard]] static short_text name_of(const seen_ticket& each) noexcept {
        return peek_text(each.name);
    }
    /// The tickets that have the resource.
    template <class Use>
    void each_holder(const void* word, Use use) const {
        each_ticket([&](const seen_ticket& holder) {
            each_entry(holder, [&](const seen_entry& claim) {
                if (claim.use == entry_use::has && claim.word == word) use(holder);
            });
        });
    }

    explicit live_view(const registry& tickets) noexcept : tickets_{tickets} {}

private:
    static bool read(const ticket* address, seen_ticket& seen) noexcept;
    static bool read(const ticket* owner, std::uint32_t index, seen_entry& seen) noexcept;

    const registry& tickets_;
};

} // namespace weft::inline v0::detail
