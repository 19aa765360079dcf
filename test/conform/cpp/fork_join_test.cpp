#include <weft/fork_join.hpp>

#include "conform/cpp/aligned.hpp"
#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
namespace {

using namespace test;

class fork_join_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, fork_join_on, testing::Values(1, 2, 3, 8, 64));

class stolen_fork_join_on : public fork_join_on {};
INSTANTIATE_TEST_SUITE_P(workers, stolen_fork_join_on, testing::Values(2, 3, 8, 64));

TEST(fork_join_outside, is_refused) {
    bool ran = false;
    EXPECT_EQ(error_of([&] { fork_join([&] { ran = true; }, [&] { ran = true; }); }),
              "outside_pool");
    EXPECT_FALSE(ran);
}

// Results

TEST_P(fork_join_on, results_come_in_the_order_of_the_arguments) {
    workers.run([] {
        const auto number = [](int value) { return [value] { return value; }; };
        EXPECT_EQ(fork_join(number(1), number(2)), std::tuple(1, 2));
        EXPECT_EQ(fork_join(number(1), number(2), number(3)), std::tuple(1, 2, 3));
        EXPECT_EQ(fork_join(number(1), number(2), number(3), number(4)), std::tuple(1, 2, 3, 4));
        EXPECT_EQ(fork_join(number(1), number(2), number(3), number(4), number(5)),
                  std::tuple(1, 2, 3, 4, 5));
        EXPECT_EQ(fork_join(number(1), number(2), number(3), number(4), number(5), number(6)),
                  std::tuple(1, 2, 3, 4, 5, 6));
    });
}

TEST_P(fork_join_on, results_may_be_of_different_types) {
    workers.run([] {
        auto all = fork_join([] { return 1; }, [] { return std::string(100, 'x'); }, [] {},
                             [] { return 2.5; });
        static_assert(std::is_same_v<decltype(all), std::tuple<int, std::string, nothing, double>>);
        EXPECT_EQ(std::get<0>(all), 1);
        EXPECT_EQ(std::get<1>(all), std::string(100, 'x'));
        EXPECT_EQ(std::get<3>(all), 2.5);
    });
}

TEST_P(fork_join_on, a_void_callable_gives_nothing_and_is_run) {
    workers.run([] {
        int first = 0;
        int second = 0;
        auto both = fork_join([&] { first = 1; }, [&] { second = 2; });
        static_assert(std::is_same_v<decltype(both), std::tuple<nothing, nothing>>);
        EXPECT_EQ(first, 1);
        EXPECT_EQ(second, 2);
    });
}

TEST_P(fork_join_on, references_come_back_as_they_are) {
    workers.run([] {
        int number = 1;
        const std::string text = "text";
        auto all = fork_join([&]() -> int& { return number; },
                             [&]() -> const std::string& { return text; },
                             [&]() -> int& { return number; });
        static_assert(std::is_same_v<decltype(all), std::tuple<int&, const std::string&, int&>>);
        EXPECT_EQ(&std::get<0>(all), &number);
        EXPECT_EQ(&std::get<1>(all), &text);
        EXPECT_EQ(&std::get<2>(all), &number);
    });
}

TEST_P(fork_join_on, references_to_what_may_be_moved_come_back_as_they_are) {
    workers.run([] {
        std::string first = "first";
        std::string second = "second";
        auto both = fork_join([&]() -> std::string&& { return std::move(first); },
                              [&]() -> std::string&& { return std::move(second); });
        static_assert(std::is_same_v<decltype(both), std::tuple<std::string&&, std::string&&>>);
        EXPECT_EQ(&std::get<0>(both), &first);
        EXPECT_EQ(&std::get<1>(both), &second);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_reference_to_what_may_be_moved_comes_back_as_it_is) {
    workers.run([] {
        std::string text = "text";
        auto both = fork_stolen([] {}, [&]() -> std::string&& { return std::move(text); });
        static_assert(std::is_same_v<decltype(both), std::tuple<nothing, std::string&&>>);
        EXPECT_EQ(&std::get<1>(both), &text);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_reference_comes_back_as_it_is) {
    workers.run([] {
        std::string text = "text";
        auto both = fork_stolen([] { return 0; }, [&]() -> std::string& { return text; });
        EXPECT_EQ(&std::get<1>(both), &text);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_void_callable_has_run) {
    workers.run([] {
        int done = 0;
        fork_stolen([] {}, [&] { done = 1; });
        EXPECT_EQ(done, 1);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_move_only_result_comes_back) {
    workers.run([] {
        auto both = fork_stolen([] { return std::make_unique<int>(1); },
                                [] { return std::make_unique<int>(2); });
        EXPECT_EQ(*std::get<0>(both), 1);
        EXPECT_EQ(*std::get<1>(both), 2);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_large_result_comes_back) {
    workers.run([] {
        using large = std::array<std::uint64_t, 100>;
        const auto numbers = [](std::uint64_t first) {
            large all{};
            std::iota(all.begin(), all.end(), first);
            return all;
        };
        auto both = fork_stolen([&] { return numbers(0); }, [&] { return numbers(500); });
        EXPECT_EQ(std::get<0>(both), numbers(0));
        EXPECT_EQ(std::get<1>(both), numbers(500));
    });
}

TEST_P(stolen_fork_join_on, a_stolen_string_of_exactly_the_slot_and_beyond_comes_back) {
    workers.run([] {
        struct three_words {
            std::uint64_t a, b, c;
        };
        auto fits = fork_stolen([] {}, [] { return three_words{1, 2, 3}; });
        EXPECT_EQ(std::get<1>(fits).c, 3U);
        auto beyond = fork_stolen([] {}, [] { return std::string(1000, 'y'); });
        EXPECT_EQ(std::get<1>(beyond), std::string(1000, 'y'));
    });
}

TEST_P(stolen_fork_join_on, over_aligned_results_are_aligned_wherever_they_are) {
    workers.run([] {
        auto both = fork_stolen([] { return aligned<64>{1}; }, [] { return aligned<256>{2}; });
        EXPECT_EQ(std::get<0>(both).value, 1);
        EXPECT_EQ(std::get<1>(both).value, 2);
        auto words = fork_stolen([] {}, [] { return aligned<16>{3}; });
        EXPECT_EQ(std::get<1>(words).value, 3);
    });
}

// Callables

TEST_P(stolen_fork_join_on, captures_of_every_kind_reach_the_thief) {
    workers.run([] {
        const auto stolen = [](auto&& second) {
            event begun;
            auto both = fork_join([&] { await_sharing(begun); },
                                  [&begun, &second] {
                                      begun.happen();
                                      return second();
                                  });
            return std::get<1>(std::move(both));
        };
        EXPECT_EQ(stolen([text = std::string(500, 'z')] { return text.size(); }), 500U);
        EXPECT_EQ(stolen([number = std::make_unique<int>(7)] { return *number; }), 7);
        std::array<int, 1000> many{};
        std::iota(many.begin(), many.end(), 0);
        EXPECT_EQ(stolen([many] { return std::accumulate(many.begin(), many.end(), 0); }), 499500);
    });
}

TEST_P(stolen_fork_join_on, a_non_trivial_callable_is_stolen_without_being_copied) {
    struct counted {
        event* begun;
        int* copies;
        std::string text = "a callable that is not trivial";
        counted(event& e, int& c) : begun{&e}, copies{&c} {}
        counted(const counted& other) : begun{other.begun}, copies{other.copies} { ++*copies; }
        counted& operator=(const counted&) = delete;
        ~counted() = default;
        std::size_t operator()() const {
            begun->happen();
            return text.size();
        }
    };
    workers.run([] {
        event begun;
        int copies = 0;
        auto both = fork_join([&] { await_sharing(begun); }, counted{begun, copies});
        EXPECT_EQ(std::get<1>(both), 30U);
        EXPECT_EQ(copies, 0);
    });
}

TEST_P(stolen_fork_join_on, a_small_callable_is_stolen_by_forking_alone) {
    workers.run([] {
        event begun;
        auto both = fork_join([&] { await_forking(begun); },
                              [&begun] {
                                  begun.happen();
                                  return 5;
                              });
        EXPECT_EQ(std::get<1>(both), 5);
    });
}

/// Small and trivial, and it counts its calls in itself.
struct counting {
    event* begun;
    int calls = 0;
    void operator()() {
        ++calls;
        begun->happen();
    }
};

TEST_P(fork_join_on, a_callable_with_a_state_keeps_it) {
    workers.run([] {
        event first_begun;
        event second_begun;
        counting first{&first_begun};
        counting second{&second_begun};
        fork_join(first, second);
        EXPECT_EQ(first.calls, 1);
        EXPECT_EQ(second.calls, 1);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_callable_with_a_state_keeps_it) {
    workers.run([] {
        event begun;
        counting second{&begun};
        fork_join([&] { await_sharing(begun); }, second);
        EXPECT_EQ(second.calls, 1);
    });
}

/// The same, and it could be called as const, too.
struct counting_unless_const {
    event* begun;
    int calls = 0;
    void operator()() {
        ++calls;
        begun->happen();
    }
    void operator()() const { begun->happen(); }
};

TEST_P(fork_join_on, a_callable_that_could_be_called_as_const_keeps_its_state) {
    workers.run([] {
        event first_begun;
        event second_begun;
        counting_unless_const first{&first_begun};
        counting_unless_const second{&second_begun};
        fork_join(first, second);
        EXPECT_EQ(first.calls, 1);
        EXPECT_EQ(second.calls, 1);
    });
}

TEST_P(stolen_fork_join_on, a_stolen_callable_that_could_be_called_as_const_keeps_its_state) {
    workers.run([] {
        event begun;
        counting_unless_const second{&begun};
        fork_join([&] { await_sharing(begun); }, second);
        EXPECT_EQ(second.calls, 1);
    });
}

int one() { return 1; }
int two() { return 2; }
int three() { return 3; }

TEST_P(fork_join_on, functions_and_their_pointers_are_callables) {
    workers.run([] {
        EXPECT_EQ(fork_join(&one, &two), std::tuple(1, 2));
        EXPECT_EQ(fork_join(one, two), std::tuple(1, 2));
        EXPECT_EQ(fork_join(one, two, three), std::tuple(1, 2, 3));
        const auto four = [] { return 4; };
        const std::function<int()> five = [] { return 5; };
        EXPECT_EQ(fork_join(four, five), std::tuple(4, 5));
        EXPECT_EQ(fork_join(one, four), std::tuple(1, 4));
        EXPECT_EQ(fork_join(five, two), std::tuple(5, 2));
    });
}

// Stop tokens

TEST_P(stolen_fork_join_on, a_stolen_child_of_a_stopped_scope_ends_as_cancelled) {
    std::stop_source source;
    std::atomic<bool> ran{false};
    auto result = workers.submit(submit_options{.stop = source.get_token()}, [&] {
        const std::uint64_t before = total(workers, &worker_statistics::steals_won);
        source.request_stop();
        fork_join(
            [&] {
                blocking([&] {
                    spin_until(
                        [&] { return total(workers, &worker_statistics::steals_won) > before; });
                });
            },
            [&] { ran = true; });
    });
    EXPECT_EQ(error_of([&] { result.get(); }), "cancelled");
    EXPECT_FALSE(ran);
    EXPECT_EQ(workers.run([] { return 1; }), 1) << "other scopes go on";
}

/// A child is pending and private; above it on the same stack runs a task of another scope, which
/// is stopped, and shares all there is. The child does not belong to that scope.
TEST(stop_of_a_scope, does_not_touch_children_of_a_task_below) {
    event other_is_busy;
    event other_is_free;
    pool workers{2};
    auto other = workers.submit([&] {
        other_is_busy.happen();
        other_is_free.await();
    });
    other_is_busy.await();
    std::stop_source source;
    event stolen;
    EXPECT_EQ(error_of([&] {
                  workers.run([&] {
                      fork_join([] {}, [] {}); // nobody is hungry any more
                      fork_join(
                          [&] {
                              const submit_options options{.stop = source.get_token()};
                              workers
                                  .submit(options,
                                          [&] {
                                              source.request_stop();
                                              other_is_free.happen();
                                              const auto before =
                                                  total(workers, &worker_statistics::steals_won);
                                              blocking([&] {
                                                  spin_until([&] {
                                                      return total(workers,
                                                                   &worker_statistics::steals_won) >
                                                             before;
                                                  });
                                              });
                                          })
                                  .get();
                          },
                          [&] { stolen.happen(); });
                  });
              }),
              "none");
    EXPECT_TRUE(stolen.has_happened());
    other.get();
}

TEST(stop_of_a_scope, does_not_touch_what_its_own_worker_runs) {
    pool single{1};
    std::stop_source source;
    auto result = single.submit(submit_options{.stop = source.get_token()}, [&] {
        return std::get<1>(fork_join([&] { source.request_stop(); }, [] { return 2; }));
    });
    EXPECT_EQ(result.get(), 2);
}

TEST_P(fork_join_on, a_task_of_a_stopped_scope_does_not_start) {
    std::stop_source source;
    source.request_stop();
    std::atomic<bool> ran{false};
    auto result = workers.submit(submit_options{.stop = source.get_token()}, [&] { ran = true; });
    EXPECT_EQ(error_of([&] { result.get(); }), "cancelled");
    EXPECT_FALSE(ran);
}

} // namespace
} // namespace weft
