#include "uts/sha1.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace bench::uts {

namespace {

using word = std::uint32_t;
using schedule = std::array<word, 80>;

schedule expand(std::span<const word> message) {
    schedule w{};
    std::ranges::copy(message, w.begin());
    w[message.size()] = 0x8000'0000;
    w[15] = static_cast<word>(message.size() * 32);
    for (std::size_t i = 16; i != w.size(); ++i) {
        w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    return w;
}

/// Twenty rounds with one function and one constant. Five rounds bring each word back to its place,
/// so that none has to be moved.
template <class Mix>
[[gnu::always_inline]] inline void rounds(digest& h, const word* w, word constant, Mix mix) {
    auto [a, b, c, d, e] = h;
    const auto round = [&](word first, word& second, word third, word fourth, word& last,
                           word next) {
        last += std::rotl(first, 5) + mix(second, third, fourth) + constant + next;
        second = std::rotl(second, 30);
    };
    for (int i = 0; i != 20; i += 5) {
        round(a, b, c, d, e, w[i]);
        round(e, a, b, c, d, w[i + 1]);
        round(d, e, a, b, c, w[i + 2]);
        round(c, d, e, a, b, w[i + 3]);
        round(b, c, d, e, a, w[i + 4]);
    }
    h = {a, b, c, d, e};
}

} // namespace

digest sha1(std::span<const word> message) {
    constexpr digest start{0x6745'2301, 0xEFCD'AB89, 0x98BA'DCFE, 0x1032'5476, 0xC3D2'E1F0};
    const auto choose = [](word b, word c, word d) { return d ^ (b & (c ^ d)); };
    const auto parity = [](word b, word c, word d) { return b ^ c ^ d; };
    const auto majority = [](word b, word c, word d) { return (b & c) | (d & (b | c)); };

    const schedule w = expand(message);
    digest h = start;
    rounds(h, w.data(), 0x5A82'7999, choose);
    rounds(h, w.data() + 20, 0x6ED9'EBA1, parity);
    rounds(h, w.data() + 40, 0x8F1B'BCDC, majority);
    rounds(h, w.data() + 60, 0xCA62'C1D6, parity);
    for (std::size_t i = 0; i != h.size(); ++i) h[i] += start[i];
    return h;
}

} // namespace bench::uts
