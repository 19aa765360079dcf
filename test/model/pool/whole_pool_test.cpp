// The pool that ships, with its own threads, under the explorer.
#include "support/thorough.hpp"

#include <weft/explorer.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace weft {
namespace {

TEST(whole_pool, begins_and_ends_with_one_and_with_two_workers) {
    for (const std::size_t workers : {std::size_t{1}, std::size_t{2}}) {
        test::explore_pool("whole_pool.begins_and_ends_" + std::to_string(workers),
                           [&] { const pool made{workers}; });
    }
}

TEST(whole_pool, runs_what_is_submitted_and_returns_its_result) {
    for (const std::size_t workers : {std::size_t{1}, std::size_t{2}}) {
        test::explore_pool("whole_pool.submit_and_get_" + std::to_string(workers), [&] {
            pool made{workers};
            explorer::plain<int> input;
            input.write(7);
            future<int> result = made.submit([&] { return input.read() + 1; });
            explorer::check(result.get() == 8, "get returns what the task returned");
            input.write(0); // the task is done: nothing races with this
        });
    }
}

/// The thread may begin when the pool has been stopped.
TEST(whole_pool, runs_what_its_hooks_submit_when_it_ends_at_once) {
    test::explore_pool("whole_pool.hooks_submit", [] {
        future<void> submitted;
        const auto submit = [&](std::size_t) { submitted = pool::current()->submit([] {}); };
        {
            const pool made{pool_options{.workers = 1, .on_start = submit}};
        }
        explorer::check(submitted.ready(), "the task was run");
    });
}

} // namespace
} // namespace weft
