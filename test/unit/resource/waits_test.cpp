// Reports when something goes wrong: a call that is interrupted, memory that is gone.
#include "resource/live_view.hpp"
#include "unit/sync/observed_thread.hpp"

#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
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

/// The first write ends at the largest size of a file. The next one fails, with a signal.
TEST(report_to_a_file, goes_on_after_a_part_and_ends_with_an_error) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
    ASSERT_NE(file, nullptr);
    static std::atomic<int> failures{0};
    failures = 0;
    struct sigaction old{};
    struct sigaction handler{};
    handler.sa_handler = [](int) { ++failures; };
    ASSERT_EQ(::sigaction(SIGXFSZ, &handler, &old), 0);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 10;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    waits(::fileno(file.get()));
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::sigaction(SIGXFSZ, &old, nullptr);
    EXPECT_EQ(failures, 1);
    std::array<char, 100> some{};
    EXPECT_EQ(::pread(::fileno(file.get()), some.data(), some.size(), 0), 10);
    EXPECT_STREQ(some.data(), "no task wa");
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

TEST(name_of_a_resource, is_gone_with_its_object) {
    resource<int> data{0};
    const void* const word = detail::access_factory::make(data).wanted.word;
    std::optional<resource_name> name;
    name.emplace(data, "data");
    EXPECT_STREQ(detail::name_of_word(word).data(), "data");
    name.reset();
    EXPECT_STREQ(detail::name_of_word(word).data(), "");
}

TEST(peek_text, has_no_control_characters) {
    EXPECT_STREQ(detail::peek_text("a\nb\x7f"
                                   "c d")
                     .data(),
                 "a?b?c d");
}

TEST(peek_text, of_no_character_but_the_rest_of_one_is_empty) {
    EXPECT_STREQ(detail::peek_text(std::string(100, '\x80').c_str()).data(), "");
}

TEST(live_view, visits_the_entries_of_a_ticket_and_nothing_behind_them) {
    static detail::registry tickets; // its cells are never freed
    static constexpr detail::ticket::kind kind{};
    alignas(detail::ticket)
        std::array<std::byte, sizeof(detail::ticket) + 2 * sizeof(detail::queue_entry)>
            memory{};
    auto* both = ::new (memory.data()) detail::ticket{kind, 2};
    detail::resource_word word;
    both->make_entries(std::array{detail::claim{&word, 0}, detail::claim{&word, 0}});
    auto* one = ::new (memory.data()) detail::ticket{kind, 1};
    detail::registry_cache own;
    detail::registry_cell& cell = tickets.reserve(own);
    cell.object.store(one, sync::relaxed);
    const detail::live_view view{tickets};
    int entries = 0;
    view.each_ticket([&](const detail::seen_ticket& each) {
        view.each_entry(each, [&](const detail::seen_entry&) { ++entries; });
    });
    EXPECT_EQ(entries, 1);
    tickets.remove(cell, nullptr);
    tickets.give_all(own);
}

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
    std::byte* const entry = memory.border() - offsetof(detail::queue_entry, weight);
    ticket = ::new (entry - sizeof(detail::ticket)) detail::ticket{kind, 1};
    std::memcpy(entry + offsetof(detail::queue_entry, owner), &ticket, sizeof ticket);
    cell.object.store(ticket, sync::relaxed);
    look();
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(entries, 0) << "half of it";
    tickets.remove(cell, nullptr);
    tickets.give_all(own);
}

} // namespace
} // namespace weft
