// Memory of tasks that goes from cache to cache, on real threads.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/detail/pool/block_cache.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

using depot = detail::block_depot<64, 16, 4, 3>; // few, so that it is full and empty by turns
using cache = detail::basic_block_cache<depot>;
using content = std::array<std::uint64_t, depot::block_size / sizeof(std::uint64_t)>;

/// Blocks that some threads have made, for others to free.
class market {
public:
    ~market() {
        for (content* each : all_) depot::heap_free(each);
    }
    void bring(content* made) {
        const std::lock_guard one_at_a_time{guard_};
        all_.push_back(made);
    }
    std::vector<content*> take_all() {
        const std::lock_guard one_at_a_time{guard_};
        return std::exchange(all_, {});
    }

private:
    std::mutex guard_;
    std::vector<content*> all_;
};

class blocks_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, blocks_of, testing::Values(1, 2, 8, 64));

/// Every other thread makes more than it frees, by turns, and in each turn it has another cache, as
/// if workers came and went.
TEST_P(blocks_of, nobody_else_has_a_block_that_is_used) {
    const std::uint64_t rounds = scaled(sanitized ? 5'000 : 50'000, 200'000) / GetParam();
    depot shared;
    market goods;
    const auto use = [&](std::size_t self, std::size_t turn) {
        cache own{shared};
        const bool makes = (self + turn) % 2 == 0;
        for (std::uint64_t i = 0; i < rounds; ++i) {
            std::array<content*, 8> made{};
            for (content*& each : made) {
                each = ::new (own.allocate()) content;
                each->fill(self * rounds + i);
            }
            for (content* each : made) {
                const auto is_unchanged = [&](std::uint64_t word) {
                    return word == self * rounds + i;
                };
                EXPECT_TRUE(std::ranges::all_of(*each, is_unchanged));
                if (makes) goods.bring(each);
                else own.free(each);
            }
            if (makes) continue;
            for (content* each : goods.take_all()) own.free(each);
        }
    };
    std::vector<std::jthread> all;
    for (std::size_t self = 0; self < GetParam(); ++self) {
        all.emplace_back([&use, self] {
            for (std::size_t turn = 0; turn < 4; ++turn) use(self, turn);
        });
    }
    all.clear();
}

} // namespace
} // namespace weft
