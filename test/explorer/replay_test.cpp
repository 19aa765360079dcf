// A failure's replay text leads to the same failure again.
#include "support/exploring.hpp"

#include <weft/error.hpp>

#include <cstdlib>
#include <mutex>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

void lose_an_update() {
    atomic<int> x{0};
    const auto increment = [&] { x.store(x.load(relaxed) + 1, relaxed); };
    together(increment, increment);
    check(x.load(relaxed) == 2, "both increments count");
}

void take_a_stale_message() {
    atomic<int> data{0};
    atomic<bool> ready{false};
    together(
        [&] {
            data.store(1, relaxed);
            ready.store(true, relaxed);
        },
        [&] {
            if (ready.load(relaxed)) check(data.load(relaxed) == 1, "the data is there");
        });
}

void use_a_mutex() {
    mutex guard;
    const auto visit = [&] { const std::lock_guard lock{guard}; };
    together(visit, visit);
}

/// Explores, then replays what was found under other bounds if need be: the same comes out.
testing::AssertionResult replays(const options& bounds, options again, const scenario_body& body) {
    const report found = explore(test_name(), quiet(bounds), body);
    if (found.passed()) return testing::AssertionFailure() << found.summary();
    again.replay = found.failure->replay;
    const report repeated = explore(test_name(), quiet(again), body);
    if (repeated.executions != 1 || repeated.explanation() != found.explanation()) {
        return testing::AssertionFailure() << found.explanation() << repeated.explanation();
    }
    return testing::AssertionSuccess();
}

testing::AssertionResult replays(const options& bounds, const scenario_body& body) {
    return replays(bounds, bounds, body);
}

TEST(replay, of_an_interleaving) { EXPECT_TRUE(replays(options::sequential(), lose_an_update)); }

TEST(replay, of_stale_reads) { EXPECT_TRUE(replays(options::weak(0, 1), take_a_stale_message)); }

TEST(replay, of_random_schedules) {
    EXPECT_TRUE(replays(options::random(10'000), lose_an_update));
    EXPECT_TRUE(replays(options::random(10'000), take_a_stale_message));
}

TEST(replay, of_a_stopped_thread) {
    EXPECT_TRUE(replays(options::sequential(2).freezing(), use_a_mutex));
    EXPECT_TRUE(replays(options::random(10'000).freezing(), use_a_mutex));
}

TEST(replay, of_a_timeout) {
    EXPECT_TRUE(replays(options::weak(), [] {
        parker sleeper;
        bool woken = false;
        together([&] { woken = sleeper.park_for(clock::duration{5}); }, [&] { sleeper.unpark(); });
        check(woken, "never too late");
    }));
}

TEST(replay, needs_no_options) {
    EXPECT_TRUE(replays(options::sequential(1), options::sequential(0), lose_an_update));
    EXPECT_TRUE(replays(options::sequential(1), options::weak(5, 5), lose_an_update));
    EXPECT_TRUE(replays(options::weak(0, 1), options::sequential(0), take_a_stale_message));
    EXPECT_TRUE(replays(options::random(10'000), options::weak(), take_a_stale_message));
    EXPECT_TRUE(replays(options::sequential(2).freezing(), options::weak(), use_a_mutex));
}

TEST(replay, of_an_execution_that_passes_passes) {
    options bounds = quiet(options::sequential());
    bounds.replay = "s0.0:0";
    const report found = explore(test_name(), bounds, lose_an_update);
    EXPECT_TRUE(found.passed());
    EXPECT_EQ(found.executions, 1U);
    EXPECT_FALSE(found.exhaustive);
    EXPECT_TRUE(found.replayed);
    EXPECT_TRUE(contains(found.summary(), "replayed without a failure"));
}

TEST(replay, of_text_that_is_none_is_refused) {
    for (const char* text : {"x", "1", "1.2", "w2.1", "w2.1:", "w2.1:1", "w2.1:1.", "w2.1:.1",
                             "w2.1:1..2", "w2.1:1.2.3", "w2.1:1.2 ", "w2.1:-1.2", "w2.1:70000.1",
                             "w2:0", "w-2.1:0", "q2.1:0", "w2.1junk:0"}) {
        options bounds = quiet(options::weak());
        bounds.replay = text;
        try {
            explore(test_name(), bounds, lose_an_update);
            ADD_FAILURE() << "not refused: " << text;
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), errc::invalid_argument);
            EXPECT_TRUE(contains(refused.what(), text));
        }
    }
}

// NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread of the system
class replay_variable {
public:
    explicit replay_variable(const std::string& value) {
        ::setenv("WEFT_REPLAY", value.c_str(), /*replace=*/1);
    }
    ~replay_variable() { ::unsetenv("WEFT_REPLAY"); }
    replay_variable(const replay_variable&) = delete;
    replay_variable& operator=(const replay_variable&) = delete;
};
// NOLINTEND(concurrency-mt-unsafe)

TEST(replay_from_the_environment, is_for_the_named_scenario_only) {
    const options bounds = quiet(options::sequential());
    const report found = explore("a = b", bounds, lose_an_update);
    ASSERT_FALSE(found.passed());
    const replay_variable variable{"a = b=" + found.failure->replay};

    const report named = explore("a = b", bounds, lose_an_update);
    EXPECT_EQ(named.executions, 1U);
    EXPECT_EQ(named.explanation(), found.explanation());

    const report another = explore("another", bounds, lose_an_update);
    EXPECT_EQ(another.executions, found.executions);
}

TEST(replay_from_the_environment, yields_to_the_options) {
    const replay_variable variable{test_name() + "=not even a replay text"};
    options bounds = quiet(options::sequential());
    bounds.replay = "s0.0:0";
    EXPECT_TRUE(explore(test_name(), bounds, lose_an_update).passed());
}

} // namespace
} // namespace weft::inline v0::explorer
