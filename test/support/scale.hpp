// How much a test does: less in every run, all of it in a full one.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace weft::test {

/// `full` under `./weft test --full`, which sets WEFT_FULL, else `reduced`.
inline std::uint64_t scaled(std::uint64_t reduced, std::uint64_t full) {
    static const bool everything = std::getenv("WEFT_FULL") != nullptr;
    return everything ? full : reduced;
}

} // namespace weft::test
