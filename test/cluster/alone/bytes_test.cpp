#include <weft/detail/cluster/bytes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace outside {

/// With a function instead of a member.
struct point {
    std::string label;
    int x = 0;
    friend bool operator==(const point&, const point&) = default;
};
template <class Archive>
void serialize(Archive& archive, point& value) {
    archive(value.label, value.x);
}

} // namespace outside

namespace weft {
namespace {

template <class T>
T copy_by_bytes(const T& value) {
    std::vector<std::byte> bytes;
    detail::byte_writer{bytes}(value);
    T read{};
    detail::byte_reader reader{bytes};
    reader(read);
    EXPECT_TRUE(reader.left().empty());
    return read;
}

TEST(bytes, bring_back_the_values_that_were_written) {
    EXPECT_EQ(copy_by_bytes(3.5), 3.5);
    EXPECT_EQ(copy_by_bytes(std::string{"text\0more", 9}).size(), 9U);
    EXPECT_EQ(copy_by_bytes(std::vector<bool>{true, false, true}),
              (std::vector<bool>{true, false, true}));
    EXPECT_EQ(copy_by_bytes(std::vector<std::vector<int>>{{1, 2}, {}, {3}}),
              (std::vector<std::vector<int>>{{1, 2}, {}, {3}}));
    using several = std::tuple<int, std::string, std::pair<char, std::vector<std::string>>>;
    const several some{1, "a", {'b', {"c", ""}}};
    EXPECT_EQ(copy_by_bytes(some), some);
    const std::vector<outside::point> points{{"here", 1}, {"there", 2}};
    EXPECT_EQ(copy_by_bytes(points), points);
    EXPECT_EQ(copy_by_bytes(std::array<int, 3>{1, 2, 3}), (std::array<int, 3>{1, 2, 3}));
}

TEST(bytes, that_end_too_early_or_have_a_wrong_count_are_refused) {
    std::vector<std::byte> bytes;
    detail::byte_writer{bytes}(std::vector<std::string>{"one", "two"});
    for (std::size_t size = 0; size != bytes.size(); ++size) {
        std::vector<std::string> read;
        detail::byte_reader reader{std::span{bytes}.first(size)};
        EXPECT_THROW(reader(read), error) << size;
    }
    bytes.clear();
    detail::byte_writer{bytes}(~std::uint64_t{0});
    std::vector<int> numbers;
    std::vector<std::string> texts;
    EXPECT_THROW(detail::byte_reader{bytes}(numbers), error);
    EXPECT_THROW(detail::byte_reader{bytes}(texts), error);
}

} // namespace
} // namespace weft
