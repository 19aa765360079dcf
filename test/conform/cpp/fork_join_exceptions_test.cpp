// Callables of fork_join that throw.
#include "conform/cpp/rendezvous.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test;

class exceptions_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, exceptions_on, testing::Values(1, 2, 3, 8, 64));

class stolen_exceptions_on : public exceptions_on {};
INSTANTIATE_TEST_SUITE_P(workers, stolen_exceptions_on, testing::Values(2, 3, 8, 64));

struct numbered {
    int number;
};

/// A callable that throws its number, or returns it.
auto throwing(int number, bool throws = true) {
    return [=] {
        if (throws) throw numbered{number};
        return number;
    };
}

template <class Call>
int thrown_by(Call call) {
    try {
        call();
    } catch (const numbered& thrown) {
        return thrown.number;
    }
    return 0;
}

std::vector<int> suppressed_numbers() {
    std::vector<int> all;
    for (const std::exception_ptr& each : suppressed_exceptions()) {
        all.push_back(thrown_by([&] { std::rethrow_exception(each); }));
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST_P(exceptions_on, the_first_exception_in_argument_order_is_thrown) {
    workers.run([] {
        for (int first = 1; first <= 4; ++first) {
            const auto some = [&](int number) { return throwing(number, number >= first); };
            EXPECT_EQ(thrown_by([&] { fork_join(some(1), some(2), some(3), some(4)); }), first);
        }
    });
}

TEST_P(exceptions_on, all_callables_run_although_some_throw) {
    workers.run([] {
        std::array<bool, 5> ran{};
        const auto mark = [&ran](std::size_t index) {
            return [&ran, index] {
                ran.at(index) = true;
                if (index % 2 == 0) throw numbered{static_cast<int>(index)};
            };
        };
        EXPECT_THROW(fork_join(mark(0), mark(1), mark(2), mark(3), mark(4)), numbered);
        EXPECT_EQ(ran, (std::array<bool, 5>{true, true, true, true, true}));
    });
}

TEST_P(exceptions_on, what_the_others_threw_is_kept) {
    workers.run([] {
        EXPECT_EQ(thrown_by([] { fork_join(throwing(1), throwing(2)); }), 1);
        EXPECT_EQ(suppressed_numbers(), std::vector{2});
        EXPECT_EQ(thrown_by([] { fork_join(throwing(1), throwing(2), throwing(3), throwing(4)); }),
                  1);
        EXPECT_EQ(suppressed_numbers(), (std::vector{2, 3, 4}));
    });
}

TEST_P(exceptions_on, a_lone_exception_leaves_none_of_an_earlier_fork_join) {
    workers.run([] {
        EXPECT_EQ(thrown_by([] { fork_join(throwing(1), throwing(2)); }), 1);
        EXPECT_EQ(suppressed_numbers(), std::vector{2});
        EXPECT_EQ(thrown_by([] { fork_join([] {}, throwing(3)); }), 3);
        EXPECT_EQ(suppressed_numbers(), std::vector<int>{});
    });
}

TEST_P(exceptions_on, what_was_caught_inside_is_not_counted) {
    workers.run([] {
        const auto catches_and_throws = [] {
            EXPECT_EQ(thrown_by([] { fork_join(throwing(10), throwing(11)); }), 10);
            throw numbered{2};
        };
        EXPECT_EQ(thrown_by([&] { fork_join(throwing(1), catches_and_throws); }), 1);
        EXPECT_EQ(suppressed_numbers(), std::vector{2});
    });
}

TEST_P(exceptions_on, what_a_callable_without_a_failure_caught_inside_is_not_counted) {
    workers.run([] {
        const auto catches = [] {
            EXPECT_EQ(thrown_by([] { fork_join(throwing(10), throwing(11)); }), 10);
        };
        EXPECT_EQ(thrown_by([&] { fork_join(throwing(1), catches); }), 1);
        EXPECT_EQ(suppressed_numbers(), std::vector<int>{});
    });
}

TEST_P(stolen_exceptions_on, the_exception_of_a_stolen_child_is_thrown) {
    workers.run([] {
        EXPECT_EQ(thrown_by([] { fork_stolen([] { return 1; }, throwing(2)); }), 2);
        EXPECT_EQ(thrown_by([] { fork_stolen(throwing(1), [] { return std::string{"a"}; }); }), 1);
        EXPECT_EQ(thrown_by([] { fork_stolen(throwing(1), throwing(2)); }), 1);
        EXPECT_EQ(suppressed_numbers(), std::vector{2});
    });
}

TEST_P(stolen_exceptions_on, what_stolen_children_threw_is_kept_too) {
    workers.run([] {
        event begun;
        EXPECT_EQ(thrown_by([&] {
                      fork_join(
                          [&] {
                              await_sharing(begun);
                              throw numbered{1};
                          },
                          [&] {
                              begun.happen();
                              throw numbered{2};
                          },
                          throwing(3), throwing(4));
                  }),
                  1);
        EXPECT_EQ(suppressed_numbers(), (std::vector{2, 3, 4}));
    });
}

TEST_P(stolen_exceptions_on, what_a_stolen_child_caught_inside_is_not_counted) {
    workers.run([] {
        const auto catches_and_throws = [] {
            EXPECT_EQ(thrown_by([] { fork_join(throwing(10), throwing(11)); }), 10);
            throw numbered{2};
        };
        EXPECT_EQ(thrown_by([&] { fork_stolen([] {}, catches_and_throws); }), 2);
        EXPECT_EQ(suppressed_numbers(), std::vector<int>{});
    });
}

TEST_P(exceptions_on, an_exception_waits_for_the_other_callable) {
    workers.run([] {
        for (int round = 0; round < 200; ++round) {
            std::atomic<bool> ended{false};
            EXPECT_THROW(fork_join([] { throw numbered{1}; },
                                   [&] {
                                       fork_join([] {}, [] {});
                                       ended = true;
                                   }),
                         numbered);
            EXPECT_TRUE(ended);
        }
    });
}

TEST(suppressed_exceptions, are_none_outside_a_pool) {
    EXPECT_TRUE(suppressed_exceptions().empty());
}

} // namespace
} // namespace weft
