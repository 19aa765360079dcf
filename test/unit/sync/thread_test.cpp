#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>

#include <pthread.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft::inline v0::sync {
namespace {

static_assert(std::is_nothrow_default_constructible_v<thread>);
static_assert(std::is_nothrow_move_constructible_v<thread>);
static_assert(std::is_nothrow_move_assignable_v<thread>);
static_assert(!std::is_copy_constructible_v<thread> && !std::is_copy_assignable_v<thread>);

TEST(thread, runs_its_body_on_another_thread) {
    const pthread_t caller = ::pthread_self();
    pthread_t started = caller;
    thread running{{}, [&] { started = ::pthread_self(); }};
    running.join();
    EXPECT_FALSE(::pthread_equal(caller, started));
}

TEST(thread, without_a_body_there_is_nothing_to_join) {
    const thread none;
    EXPECT_FALSE(none.joinable());
}

TEST(thread, is_joinable_until_joined) {
    thread running{{}, [] {}};
    EXPECT_TRUE(running.joinable());
    running.join();
    EXPECT_FALSE(running.joinable());
}

TEST(thread, is_joined_on_destruction) {
    int data = 0;
    parker destruction_is_near;
    {
        const thread running{{}, [&] {
                                 destruction_is_near.park();
                                 data = 1;
                             }};
        destruction_is_near.unpark();
    }
    EXPECT_EQ(data, 1);
}

TEST(thread, a_move_takes_the_thread_along) {
    int data = 0;
    parker moved;
    thread first{{}, [&] {
                     moved.park();
                     data = 1;
                 }};
    thread second{std::move(first)};
    EXPECT_FALSE(first.joinable());
    EXPECT_TRUE(second.joinable());
    thread third;
    third = std::move(second);
    EXPECT_FALSE(second.joinable());
    EXPECT_TRUE(third.joinable());
    moved.unpark();
    third.join();
    EXPECT_EQ(data, 1);
}

TEST(thread, an_assignment_joins_what_was_there) {
    int data = 0;
    thread running{{}, [&] { data = 1; }};
    running = thread{};
    EXPECT_EQ(data, 1);
    EXPECT_FALSE(running.joinable());
}

TEST(thread, assigned_to_itself_it_goes_on) {
    parker assigned;
    thread running{{}, [&] { assigned.park(); }};
    thread& same = running;
    running = std::move(same);
    EXPECT_TRUE(running.joinable());
    assigned.unpark();
}

TEST(thread, a_body_that_can_only_be_moved_runs) {
    int data = 0;
    thread{{}, [&data, given = std::make_unique<int>(7)] { data = *given; }}.join();
    EXPECT_EQ(data, 7);
}

TEST(thread, what_came_before_it_is_seen_in_it_and_what_came_in_it_after_its_join) {
    constexpr int rounds = 200;
    int data = 0;
    for (int round = 0; round < rounds; ++round) thread{{}, [&] { ++data; }}.join();
    EXPECT_EQ(data, rounds);
}

TEST(thread, yield_and_pause_return) {
    yield();
    pause();
}

// Names. The creator gives the name, so it is there when the constructor has returned.

std::string name_seen_inside(const std::string& given) {
    std::array<char, 64> seen{};
    parker created;
    thread running{{.name = given}, [&] {
                       created.park();
                       ::pthread_getname_np(::pthread_self(), seen.data(), seen.size());
                   }};
    created.unpark();
    running.join();
    return seen.data();
}

TEST(thread, has_the_name_it_was_given) {
    EXPECT_EQ(name_seen_inside("weft-worker-3"), "weft-worker-3");
}

TEST(thread, keeps_fifteen_characters_of_its_name) {
    EXPECT_EQ(name_seen_inside("exactly-fifteen"), "exactly-fifteen");
    EXPECT_EQ(name_seen_inside("sixteen-in-total"), "sixteen-in-tota");
    EXPECT_EQ(name_seen_inside(std::string(1'000, 'n')), std::string(15, 'n'));
}

// Stacks.

std::size_t stack_size_inside(std::size_t wanted) {
    std::size_t size = 0;
    thread{{.name = {}, .stack_size = wanted},
           [&] {
               pthread_attr_t attributes{};
               ::pthread_getattr_np(::pthread_self(), &attributes);
               ::pthread_attr_getstacksize(&attributes, &size);
               ::pthread_attr_destroy(&attributes);
           }}
        .join();
    return size;
}

TEST(thread, has_at_least_the_stack_it_was_asked_for) {
    for (const std::size_t wanted : {std::size_t{256} << 10U, (std::size_t{1} << 20U) + 1,
                                     std::size_t{3'000'001}, std::size_t{64} << 20U}) {
        EXPECT_GE(stack_size_inside(wanted), wanted);
    }
}

TEST(thread, has_at_least_the_stack_that_the_system_demands) {
    const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{4'096}, least - 1, least}) {
        EXPECT_GE(stack_size_inside(wanted), least) << "asked for " << wanted;
    }
}

TEST(thread, has_the_systems_stack_by_default) {
    pthread_attr_t usual{};
    std::size_t size = 0;
    ASSERT_EQ(::pthread_getattr_default_np(&usual), 0);
    ::pthread_attr_getstacksize(&usual, &size);
    ::pthread_attr_destroy(&usual);
    EXPECT_GE(stack_size_inside(0), size);
}

// What becomes of the body.

struct lives {
    atomic<int> begun{0};
    atomic<int> ended{0};
};

/// Counts how many there were, those moved from included.
class counted_body {
public:
    explicit counted_body(lives& counts) noexcept : counts_{counts} {
        counts_.begun.fetch_add(1, relaxed);
    }
    counted_body(counted_body&& other) noexcept : counted_body{other.counts_} {}
    counted_body(const counted_body&) = delete;
    counted_body& operator=(const counted_body&) = delete;
    counted_body& operator=(counted_body&&) = delete;
    ~counted_body() { counts_.ended.fetch_add(1, relaxed); }

private:
    lives& counts_;
};

TEST(thread, its_body_is_gone_when_it_is_joined) {
    lives bodies;
    bool ran = false;
    thread running{{}, [&ran, body = counted_body{bodies}] { ran = true; }};
    running.join();
    EXPECT_TRUE(ran);
    EXPECT_GT(bodies.begun.load(relaxed), 0);
    EXPECT_EQ(bodies.ended.load(relaxed), bodies.begun.load(relaxed));
}

TEST(thread, its_body_ends_on_the_thread_it_ran_on) {
    struct last_words {
        pthread_t* ended_on;
        explicit last_words(pthread_t& ender) : ended_on{&ender} {}
        last_words(last_words&& other) noexcept
            : ended_on{std::exchange(other.ended_on, nullptr)} {}
        last_words& operator=(last_words&&) = delete;
        ~last_words() {
            if (ended_on != nullptr) *ended_on = ::pthread_self();
        }
    };
    pthread_t ran_on{};
    pthread_t ended_on{};
    thread{{}, [&ran_on, words = last_words{ended_on}] { ran_on = ::pthread_self(); }}.join();
    EXPECT_TRUE(::pthread_equal(ran_on, ended_on));
}

/// More than any address space that processes are given.
constexpr std::array stacks_beyond_reach{
    std::size_t{1} << 48U, std::numeric_limits<std::size_t>::max() / 2,
    std::numeric_limits<std::size_t>::max() - 1, std::numeric_limits<std::size_t>::max()};

TEST(thread, a_stack_beyond_reach_is_an_error_and_leaves_nothing_behind) {
    for (const std::size_t wanted : stacks_beyond_reach) {
        lives bodies;
        bool ran = false;
        try {
            const thread running{{.name = {}, .stack_size = wanted},
                                 [&ran, body = counted_body{bodies}] { ran = true; }};
            ADD_FAILURE() << "got a stack of " << wanted << " bytes";
        } catch (const error& refused) {
            EXPECT_TRUE(refused.code() == errc::no_thread ||
                        refused.code() == errc::invalid_argument);
            EXPECT_TRUE(std::string_view{refused.what()}.starts_with("weft::sync::thread"))
                << refused.what();
        }
        EXPECT_FALSE(ran);
        EXPECT_GT(bodies.begun.load(relaxed), 0);
        EXPECT_EQ(bodies.ended.load(relaxed), bodies.begun.load(relaxed));
    }
}

TEST(thread, can_be_had_after_one_was_refused) {
    EXPECT_THROW(thread({.name = {}, .stack_size = stacks_beyond_reach.front()}, [] {}), error);
    bool ran = false;
    thread{{}, [&] { ran = true; }}.join();
    EXPECT_TRUE(ran);
}

// What ends the program.

class thread_misuse : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(thread_misuse, an_exception_that_leaves_the_body_ends_the_program) {
    const auto thrown = std::make_exception_ptr(std::runtime_error{"left the body"});
    EXPECT_DEATH(thread({}, [thrown] { std::rethrow_exception(thrown); }).join(), "terminate");
}

#ifdef WEFT_CHECKED
TEST_F(thread_misuse, a_second_join_is_named) {
    thread running{{}, [] {}};
    running.join();
    EXPECT_DEATH(running.join(), "weft::sync::thread::join");
}

TEST_F(thread_misuse, a_join_of_nothing_is_named) {
    EXPECT_DEATH(thread{}.join(), "weft::sync::thread::join");
}
#endif

} // namespace
} // namespace weft::inline v0::sync
