#include "sync/peek.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace weft::inline v0::sync {
namespace {

TEST(peek, copies_what_is_there) {
    const int there = 42;
    int copy = 0;
    EXPECT_TRUE(peek(&there, &copy, sizeof copy));
    EXPECT_EQ(copy, 42);
}

TEST(peek, says_so_where_nothing_is) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* gone = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(gone, MAP_FAILED);
    char copy = 0;
    EXPECT_TRUE(peek(gone, &copy, 1));
    ::munmap(gone, page);
    errno = 7;
    EXPECT_FALSE(peek(gone, &copy, 1));
    EXPECT_FALSE(peek(nullptr, &copy, 1));
    EXPECT_EQ(errno, 7) << "it is left as it was";
}

} // namespace
} // namespace weft::inline v0::sync
