// Random numbers that depend only on a seed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

/// SplitMix64. The standard library's distributions differ between implementations.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_{seed} {}

    std::uint64_t next() {
        state_ += 0x9E37'79B9'7F4A'7C15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
        return mixed ^ (mixed >> 31U);
    }

    /// From 0 to `count` - 1, almost uniformly.
    std::uint64_t below(std::uint64_t count) { return next() % count; }

    template <class T>
    void shuffle(std::vector<T>& all) {
        for (std::size_t each = all.size(); each > 1; --each) {
            std::swap(all[each - 1], all[below(each)]);
        }
    }

private:
    std::uint64_t state_;
};

} // namespace weft::inline v0::petri
