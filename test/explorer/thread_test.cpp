// Threads of a scenario: their number, their own words, and the exceptions in flight in them.
#include "support/exploring.hpp"

#include <array>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

namespace weft::inline v0::explorer {
namespace {

using namespace test;

TEST(thread, seven_may_run_besides_the_scenarios_own) {
    EXPECT_TRUE(passes(options::weak(), [] {
        int ran = 0;
        const auto run = [&] { ++ran; };
        together(run, run, run, run, run, run, run);
        check(ran == 7, "all ran");
    }));
}

TEST(thread, an_eighth_is_a_misuse) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(), [] {
        const auto run = [] {};
        together(run, run, run, run, run, run, run, run);
    }));
}

TEST(thread, is_joined_when_it_goes_out_of_scope) {
    EXPECT_TRUE(passes(options::weak(), [] {
        plain<int> x{0};
        {
            const thread other{[&] { x.write(1); }};
        }
        check(x.read() == 1, "it has run");
    }));
}

TEST(thread, that_is_never_joined_is_a_misuse) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(), [] {
        alignas(thread) std::byte storage[sizeof(thread)];
        ::new (storage) thread{[] {}};
    }));
}

TEST(thread, joined_twice_is_a_misuse) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(), [] {
        thread other{[] {}};
        other.join();
        other.join();
    }));
}

TEST(thread, may_be_moved) {
    EXPECT_TRUE(passes(options::weak(), [] {
        int ran = 0;
        thread first{[&] { ++ran; }};
        thread second = std::move(first);
        second = thread{[&] { ++ran; }};
        check(ran > 0, "assignment joined the one before");
        check(second.joinable(), "the other is still to be joined");
    }));
}

TEST(thread, is_numbered_in_the_order_of_start) {
    EXPECT_TRUE(passes(options::weak(), [] {
        std::array<std::uint32_t, 3> numbers{};
        numbers[0] = current_thread();
        together([&] { numbers[1] = current_thread(); }, [&] { numbers[2] = current_thread(); });
        check(numbers == std::array{0U, 1U, 2U}, "numbered from the scenario's own");
    }));
}

TEST(thread_local_value, is_of_each_thread_and_zero_at_its_start_in_every_execution) {
    using first = thread_local_value<struct first_tag, int>;
    using second = thread_local_value<struct second_tag, int>;
    EXPECT_TRUE(passes(options::weak(), [] {
        atomic<int> x{0};
        const auto visit = [&](int self) {
            check(first::get() == 0 && second::get() == 0, "zero at the start");
            first::set(self);
            x.fetch_add(1);
            second::set(-self);
            x.fetch_add(1);
            check(first::get() == self && second::get() == -self, "what this thread set");
        };
        together([&] { visit(1); }, [&] { visit(2); });
        visit(3);
    }));
}

TEST(escaping_exception, is_reported_with_its_thread_and_text) {
    const report found = explore(test_name(), quiet(options::weak()), [] {
        together(named{"thrower", [] {
                           throw std::runtime_error{"a text that is too long for a short string"};
                       }});
    });
    ASSERT_FALSE(found.passed());
    EXPECT_EQ(found.failure->kind, failure_kind::exception);
    EXPECT_TRUE(
        contains(found.failure->message, "thrower: a text that is too long for a short string"));
}

TEST(escaping_exception, from_the_scenario_itself_is_reported_too) {
    EXPECT_TRUE(fails_with(failure_kind::exception, options::weak(), [] { throw 1; }));
}

TEST(exceptions, caught_in_two_threads_at_once_do_not_mix) {
    EXPECT_TRUE(passes(options::sequential(100), [] {
        atomic<int> x{0};
        const auto visit = [&](int self) {
            try {
                throw self;
            } catch (int) {
                x.fetch_add(1);
                const std::exception_ptr current = std::current_exception();
                x.fetch_add(1);
                try {
                    std::rethrow_exception(current);
                } catch (int caught) {
                    check(caught == self, "its own exception");
                }
            }
            check(std::current_exception() == nullptr, "none is left");
        };
        together([&] { visit(1); }, [&] { visit(2); });
    }));
}

TEST(exceptions, thrown_again_after_others_ran_are_still_the_same) {
    EXPECT_TRUE(passes(options::sequential(100), [] {
        atomic<int> x{0};
        const auto visit = [&](int self) {
            try {
                try {
                    throw self;
                } catch (int) {
                    x.fetch_add(1);
                    throw;
                }
            } catch (int caught) {
                x.fetch_add(1);
                check(caught == self, "its own exception");
            }
        };
        together([&] { visit(1); }, [&] { visit(2); });
    }));
}

TEST(exceptions, in_flight_are_counted_for_each_thread_alone) {
    struct step_on_unwinding {
        atomic<int>& x;
        ~step_on_unwinding() {
            x.fetch_add(1);
            check(std::uncaught_exceptions() == 1, "this thread unwinds");
        }
    };
    EXPECT_TRUE(passes(options::sequential(100), [] {
        atomic<int> x{0};
        together(
            [&] {
                try {
                    const step_on_unwinding step{x};
                    throw 1;
                } catch (int) {
                    check(std::uncaught_exceptions() == 0, "caught");
                }
            },
            [&] {
                x.fetch_add(1);
                check(std::uncaught_exceptions() == 0, "nothing is thrown here");
                x.fetch_add(1);
                check(std::uncaught_exceptions() == 0, "nothing is thrown here");
            });
    }));
}

} // namespace
} // namespace weft::inline v0::explorer
