#include <weft/detail/sync/memory.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft::inline v0::sync {
namespace {

bool is_aligned(const void* memory, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

/// Counts itself; the count is wrong if it is not ended as often as it began.
class counted {
public:
    explicit counted(int& alive) : alive_{alive} { ++alive_; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive_; }

private:
    int& alive_;
};

TEST(memory, make_begins_an_object_and_destroy_ends_it) {
    int alive = 0;
    auto* const object = make<counted>(alive);
    EXPECT_EQ(alive, 1);
    destroy(object);
    EXPECT_EQ(alive, 0);
}

TEST(memory, destroy_of_null_is_nothing) { destroy(static_cast<counted*>(nullptr)); }

template <std::size_t Alignment>
struct alignas(Alignment) aligned {
    std::byte content[Alignment];
};

template <std::size_t Alignment>
void expect_aligned() {
    constexpr std::size_t count = 9; // one alone may be aligned by chance
    std::vector<aligned<Alignment>*> made;
    for (std::size_t index = 0; index < count; ++index) {
        made.push_back(make<aligned<Alignment>>());
        EXPECT_TRUE(is_aligned(made.back(), Alignment)) << made.back();
        std::memset(made.back()->content, 0xff, Alignment);
    }
    for (auto* const object : made) destroy(object);
}

TEST(memory, make_keeps_to_the_alignment_of_the_type) {
    expect_aligned<1>();
    expect_aligned<alignof(std::max_align_t)>();
    expect_aligned<64>();
    expect_aligned<128>();
    expect_aligned<4'096>();
}

TEST(memory, make_passes_its_arguments_on) {
    struct pair {
        pair(std::unique_ptr<int> given, int& shared)
            : owned{std::move(given)}, referred{&shared} {}
        std::unique_ptr<int> owned;
        int* referred;
    };
    int shared = 0;
    auto* const made = make<pair>(std::make_unique<int>(7), shared);
    EXPECT_EQ(*made->owned, 7);
    EXPECT_EQ(made->referred, &shared);
    destroy(made);
}

TEST(memory, a_constructor_that_throws_leaves_nothing_behind) {
    // That the memory is freed, too, is checked by the address sanitizer.
    struct alignas(128) refusing {
        explicit refusing(int& alive) : member{alive} { throw std::runtime_error{"refused"}; }
        counted member;
    };
    int alive = 0;
    EXPECT_THROW(make<refusing>(alive), std::runtime_error);
    EXPECT_EQ(alive, 0);
}

TEST(memory, allocate_gives_as_much_as_asked_for_and_as_aligned) {
    for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{1'024}}) {
        constexpr std::size_t size = 1'000;
        void* const memory = allocate(size, alignment);
        EXPECT_TRUE(is_aligned(memory, alignment)) << memory;
        std::memset(memory, 0xff, size);
        deallocate(memory, alignment);
    }
}

TEST(memory, allocate_is_aligned_for_any_usual_type_by_default) {
    void* const memory = allocate(1);
    EXPECT_TRUE(is_aligned(memory, alignof(std::max_align_t))) << memory;
    deallocate(memory);
}

TEST(memory, the_allocator_serves_containers) {
    std::vector<int, allocator<int>> row(100, 1);
    row.resize(10'000, 2);
    EXPECT_EQ(row.front(), 1);
    EXPECT_EQ(row.back(), 2);
}

} // namespace
} // namespace weft::inline v0::sync
