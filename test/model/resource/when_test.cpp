// Tasks on resources on the pool that ships, with its own threads, under the explorer.
#include "support/thorough.hpp"

#include <weft/detail/sync/parker.hpp>
#include <weft/explorer.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using watched_int = explorer::plain<int>;

/// Five threads and a whole pool: exhaustive search is out of reach, so random schedules on weak
/// memory.
void explore_when(const std::string& name, const std::function<void()>& body) {
    test::explore_within({explorer::options::random(test::scaled(3'000, 300'000))}, name, body);
}

/// Two threads name two resources in opposite orders: both tasks run, one after the other, in one
/// order for both resources.
void named_crosswise() {
    resource<watched_int> a;
    resource<watched_int> b;
    pool workers{2};
    const auto append = [](int digit) {
        return [digit](watched_int& one, watched_int& other) {
            one.modify() = one.read() * 10 + digit;
            other.modify() = other.read() * 10 + digit;
        };
    };
    together(named("one", [&] { when(a, b).submit(workers, append(1)).get(); }),
             named("other", [&] { when(b, a).submit(workers, append(2)).get(); }));
    int order = 0;
    when(read(a), read(b))
        .submit(workers,
                [&](const watched_int& first, const watched_int& second) {
                    explorer::check(first.read() == second.read(), "both agree on the order");
                    order = first.read();
                })
        .get();
    explorer::check(order == 12 || order == 21, "each has run once");
}

/// The completion is completed by a thread that is not the pool's, while the task that began still
/// runs or has ended.
void held_until_called_back() {
    resource<watched_int> a;
    pool workers{2};
    std::optional<completion<int>> open;
    sync::parker begun;
    future<int> result = when(a).hold<int>(
        workers,
        [&](watched_int& data, completion<int> done) {
            open.emplace(std::move(done));
            begun.unpark();
            data.write(1); // no other task has it, though the operation has begun
        },
        [](watched_int& data, future<int> done) { return data.read() + done.get(); });
    begun.park();
    open->complete(2);
    explorer::check(result.get() == 3, "both parts have run, in this order");
}

TEST(whole_pool_when, two_threads_that_name_resources_crosswise) {
    explore_when("when: named crosswise", named_crosswise);
}
TEST(whole_pool_when, a_held_resource_is_kept_until_the_callback) {
    explore_when("when: held until called back", held_until_called_back);
}

} // namespace
} // namespace weft
