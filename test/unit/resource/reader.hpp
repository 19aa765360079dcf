// Tickets that a test stops while they settle.
#pragma once

#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/ticket.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace weft::test {

/// A ticket with its entries, on limits that it reads. `while_settling` is called when its first
/// entry has settled and the others have not, as if its thread were stopped there.
template <std::size_t Count>
class reader {
public:
    reader(std::string& order, char name, std::array<detail::limit_word*, Count> limits,
           std::uint32_t weight = 1)
        : order_{&order}, name_{name} {
        std::array<detail::claim, Count> claims{};
        for (std::size_t i = 0; i < Count; ++i) claims[i] = {limits[i], weight};
        EXPECT_EQ(arrange(claims), Count);
        own_ticket.subject = this;
        own_ticket.make_entries(claims);
    }
    ~reader() {
        own_ticket.release();
        own_ticket.forget();
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    std::function<void()> while_settling;
    std::function<void()> when_ready;

private:
    static reader& reader_of(const detail::ticket& self) {
        return *static_cast<reader*>(self.subject);
    }
    static void call_once(std::function<void()>& callable) {
        if (const auto once = std::exchange(callable, nullptr)) once();
    }
    static constexpr detail::ticket::kind kind{
        .ready =
            [](detail::ticket& self, bool /*submitting*/) noexcept {
                *reader_of(self).order_ += reader_of(self).name_;
                call_once(reader_of(self).when_ready);
            },
        .cancelled =
            [](const detail::ticket& self) noexcept {
                call_once(reader_of(self).while_settling);
                return false;
            },
        .free = [](detail::ticket& /*self*/) noexcept {},
    };

    std::string* order_;
    char name_;

public:
    detail::ticket own_ticket{kind, Count};

private:
    alignas(detail::queue_entry) std::array<
        std::byte, Count * sizeof(detail::queue_entry)> behind_; // what entries() expects there
};

} // namespace weft::test
