#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {
namespace {

/// Describes `callable` in a child and runs it there, as a thief would; the child's result is taken
/// the way its owner takes it, after a join that finds the child stolen and done.
template <class Callable>
outcome_of<Callable> steal_and_join(worker& self, Callable& callable) {
    scoped_child* child = self.scoped.owner_next();
    scoped_job<Callable>::describe(*child, callable);
    self.scoped.owner_push(child);
    self.publish();
    scoped_child* stolen = self.scoped.steal();
    EXPECT_EQ(stolen, child);
    self.run_stolen(*stolen, self);
    EXPECT_FALSE(self.scoped.owner_pop(child)) << "it is not private any more";
    return scoped_job<Callable>::join_shared(self, *child);
}
/// The same on a worker.
template <class Callable>
outcome_of<Callable> through_a_slot(Callable callable) {
    pool single{1};
    return single.run(
        [&]() -> outcome_of<Callable> { return steal_and_join(*worker::current(), callable); });
}

TEST(scoped_job, begins_anew_in_a_child_that_was_used) {
    pool single{1};
    single.run([] {
        worker& self = *worker::current();
        int calls = 0;
        const auto throws_at_first = [&] {
            if (++calls == 1) throw std::string{"first"};
            return calls;
        };
        const std::uint64_t tasks_before = self.counts.read().tasks;
        EXPECT_THROW(steal_and_join(self, throws_at_first), std::string);
        EXPECT_EQ(steal_and_join(self, throws_at_first), 2);
        EXPECT_EQ(steal_and_join(self, throws_at_first), 3);
        EXPECT_EQ(self.counts.read().tasks, tasks_before + 3);
    });
}

TEST(scoped_job, brings_back_small_results_in_the_slot) {
    EXPECT_EQ(through_a_slot([] { return 1; }), 1);
    EXPECT_EQ(*through_a_slot([] { return std::make_unique<int>(2); }), 2);
    using three_words = std::array<std::uint64_t, 3>;
    EXPECT_EQ(through_a_slot([] { return three_words{1, 2, 3}; }), (three_words{1, 2, 3}));
}

TEST(scoped_job, brings_back_results_that_do_not_fit) {
    using four_words = std::array<std::uint64_t, 4>;
    EXPECT_EQ(through_a_slot([] { return four_words{1, 2, 3, 4}; }), (four_words{1, 2, 3, 4}));
    EXPECT_EQ(through_a_slot([] { return std::string(100, 'x'); }), std::string(100, 'x'));
    struct alignas(64) aligned {
        int value;
    };
    EXPECT_EQ(through_a_slot([] { return aligned{5}; }).value, 5);
}

TEST(scoped_job, brings_back_references_and_nothing) {
    int number = 0;
    EXPECT_EQ(&through_a_slot([&]() -> int& { return number; }), &number);
    static_assert(std::is_same_v<decltype(through_a_slot([&] { number = 1; })), nothing>);
    through_a_slot([&] { number = 1; });
    EXPECT_EQ(number, 1);
}

TEST(scoped_job, brings_back_exceptions_from_results_of_every_size) {
    EXPECT_THROW(through_a_slot([]() -> int { throw std::string{"small"}; }), std::string);
    EXPECT_THROW(through_a_slot([]() -> std::string { throw 1; }), int);
    EXPECT_THROW(through_a_slot([]() -> std::array<int, 100> { throw 1; }), int);
    EXPECT_THROW(through_a_slot([] { throw 1; }), int);
}

/// The rest of a fork_join of three.
struct rest {
    using is_rest_of_fork_join = void;
    void operator()() const {}
};

TEST(scoped_job, that_is_cancelled_brings_back_nothing_that_its_thief_has_suppressed_before) {
    pool single{1};
    single.run([] {
        worker& self = *worker::current();
        std::stop_source source;
        source.request_stop();
        const std::stop_token stop = source.get_token();
        const worker::running now{self, &stop};
        self.suppress_first(std::make_exception_ptr(1));
        const rest callable;
        EXPECT_THROW(steal_and_join(self, callable), error);
        EXPECT_TRUE(self.suppressed.empty());
    });
}

TEST(scoped_job, finds_callables_that_are_small_large_or_not_trivial) {
    const std::array<std::uint64_t, 100> large{7};
    EXPECT_EQ(through_a_slot([large] { return large[0]; }), 7U);
    EXPECT_EQ(through_a_slot([text = std::string(50, 'y')] { return text.size(); }), 50U);
    EXPECT_EQ(through_a_slot([a = 1, b = 2, c = 3] { return a + b + c; }), 6);
}

TEST(scoped_job, leaves_no_result_behind) {
    auto held = std::make_shared<int>(1);
    {
        const auto back = through_a_slot([&] { return held; });
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    {
        const auto back = through_a_slot([&] { return std::array{held, held, held, held}; });
        EXPECT_EQ(held.use_count(), 5);
    }
    EXPECT_EQ(held.use_count(), 1);
    struct copied {
        std::shared_ptr<int> owner;
        explicit copied(std::shared_ptr<int> shared) : owner{std::move(shared)} {}
        copied(const copied&) = default; // and moved no other way
    };
    {
        const auto back = through_a_slot([&] { return copied{held}; });
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
}

} // namespace
} // namespace weft::inline v0::detail
