// Reports when something goes wrong: a call that is interrupted, memory that is gone.
#include "resource/live_view.hpp"
#include "unit/sync/observed_thread.hpp"

#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <string>

namespace weft {
namespace {

/// The write sleeps, since the pipe is full, and is interrupted before it has written anything.
TEST(report_to_a_file, goes_on_after_an_interruption) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    std::array<char, 4096> some{};
    std::size_t before = 0;
    for (ssize_t put = 1; put > 0; before += put > 0 ? static_cast<std::size_t>(put) : 0) {
        put = ::write(ends[1], some.data(), some.size());
    }
    ASSERT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
    static std::atomic<int> interruptions{0};
    interruptions = 0;
    struct sigaction old{};
    struct sigaction handler{}; // without SA_RESTART
    handler.sa_handler = [](int) { ++interruptions; };
    ASSERT_EQ(::sigaction(SIGUSR2, &handler, &old), 0);
    std::string all;
    {
        test::observed_thread writer{[&] {
            waits(ends[1]);
            ::close(ends[1]);
        }};
        EXPECT_TRUE(writer.falls_asleep());
        ::pthread_kill(writer.handle(), SIGUSR2);
        while (interruptions == 0) sync::yield();
        for (ssize_t got = 1; got > 0;) {
            got = ::read(ends[0], some.data(), some.size());
            if (got > 0) all.append(some.data(), static_cast<std::size_t>(got));
        }
    }
    ::sigaction(SIGUSR2, &old, nullptr);
    ::close(ends[0]);
    EXPECT_EQ(all.substr(before), "no task waits for a resource\n");
}

/// Of such a socket, a read returns what one write wrote.
TEST(report_to_a_file, is_written_in_large_pieces) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
    waits(ends[1]);
    std::array<char, 4096> some{};
    const ssize_t got = ::read(ends[0], some.data(), some.size());
    EXPECT_EQ((std::string{some.data(), got > 0 ? static_cast<std::size_t>(got) : 0}),
              "no task waits for a resource\n");
    for (const int each : ends) ::close(each);
}

TEST(report_to_a_file, that_cannot_be_written_is_left_out) {
    errno = ENOENT;
    waits(-1);
    EXPECT_EQ(errno, ENOENT);
}

/// Two pages, of which only the first can be read.
class half_readable {
public:
    half_readable() { EXPECT_EQ(::mprotect(start_ + size_, size_, PROT_NONE), 0); }
    ~half_readable() { ::munmap(start_, 2 * size_); }
    half_readable(const half_readable&) = delete;
    half_readable& operator=(const half_readable&) = delete;
    [[nodiscard]] std::byte* border() const { return start_ + size_; }

private:
    const std::size_t size_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::byte* const start_ = static_cast<std::byte*>(
        ::mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

/// Of a ticket that was freed, some or all is gone when it is read.
TEST(live_view, leaves_out_what_cannot_be_read) {
    static detail::registry tickets; // its cells are never freed
    static constexpr detail::ticket::kind kind{};
    const half_readable memory;
    auto* ticket = ::new (memory.border() - sizeof(detail::ticket)) detail::ticket{kind, 1};
    detail::registry_cache own;
    detail::registry_cell& cell = tickets.reserve(own);
    const detail::live_view view{tickets};
    int seen = 0;
    int entries = 0;
    const auto look = [&] {
        view.each_ticket([&](const detail::seen_ticket& each) {
            ++seen;
            view.each_entry(each, [&](const detail::seen_entry&) { ++entries; });
        });
    };
    cell.object.store(ticket, sync::relaxed);
    look();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(entries, 0);
    cell.object.store(memory.border(), sync::relaxed);
    look();
    EXPECT_EQ(seen, 1);
    tickets.remove(cell, nullptr);
    tickets.give_all(own);
}

} // namespace
} // namespace weft
