// The rows of docs/errors.md, one call each.
#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace weft {
namespace {

/// What the call throws, if it throws an error of weft.
template <class Call>
std::optional<errc> code_of(Call call) {
    try {
        call();
    } catch (const error& wrong) {
        return wrong.code();
    }
    return std::nullopt;
}

void recurse(int left) {
    if (left > 0) fork_join([=] { recurse(left - 1); }, [] {});
}

TEST(errors_page, invalid_argument) {
    pool workers{1};
    limit some{4};
    completion<int> done{workers};
    auto first = done.get_future();
    EXPECT_EQ(code_of([&] { static_cast<void>(done.get_future()); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { done.fail(nullptr); }), errc::invalid_argument);
    done.complete(1);
    EXPECT_EQ(code_of([&] { done.complete(2); }), errc::invalid_argument);
    EXPECT_EQ(first.get(), 1);
    EXPECT_EQ(code_of([&] { first.get(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { const limit none{0}; }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { const limit large{(1U << 30U) + 1}; }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { const key_space none{0}; }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { when(take(some, 0)).submit(workers, [] {}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { static_cast<void>(when_all(std::move(first))); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([] { static_cast<void>(when_any(std::vector<future<int>>{})); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([] { const pool many{70'000}; }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { const pool deep{{.stack_size = std::size_t{17} << 30U}}; }),
              errc::invalid_argument);
}

TEST(errors_page, outside_pool) {
    resource<int> some;
    EXPECT_EQ(code_of([] { fork_join([] {}, [] {}); }), errc::outside_pool);
    EXPECT_EQ(code_of([] { const task_group group; }), errc::outside_pool);
    EXPECT_EQ(code_of([] { const completion<int> done; }), errc::outside_pool);
    EXPECT_EQ(code_of([&] { when(some).submit([](int&) {}); }), errc::outside_pool);
    EXPECT_EQ(code_of([] { static_cast<void>(when_all(std::vector<future<int>>{})); }),
              errc::outside_pool);
}

TEST(errors_page, stopped) {
    resource<int> some;
    pool workers{1};
    contract_group group;
    group.stop();
    EXPECT_EQ(code_of([&] { static_cast<void>(group.create([] {})); }), errc::stopped);
    workers.stop();
    EXPECT_EQ(code_of([&] { workers.submit([] {}); }), errc::stopped);
    EXPECT_EQ(code_of([&] { workers.post([] {}); }), errc::stopped);
    EXPECT_EQ(code_of([&] { workers.run([] {}); }), errc::stopped);
    EXPECT_EQ(code_of([&] { task_group{workers}.submit([] {}); }), errc::stopped);
    EXPECT_EQ(code_of([&] { when(some).submit(workers, [](int&) {}); }), errc::stopped);
}

TEST(errors_page, not_run_and_cancelled) {
    auto workers = std::make_unique<pool>(1U);
    std::stop_source source;
    source.request_stop();
    auto late = workers->submit({.stop = source.get_token()}, [] {});
    EXPECT_EQ(code_of([&] { late.get(); }), errc::cancelled);
    task_group group{*workers};
    group.cancel();
    group.submit([] {});
    EXPECT_EQ(code_of([&] { group.wait(); }), std::nullopt);

    completion<void> done{*workers};
    auto after = done.get_future().then([](future<void> first) { first.get(); });
    workers->stop();
    done.complete();
    EXPECT_EQ(code_of([&] { after.get(); }), errc::not_run);
}

TEST(errors_page, would_deadlock) {
    pool workers{1};
    completion<int> done{workers};
    auto result = done.get_future();
    EXPECT_EQ(code_of([&] { workers.run([&] { result.get(); }); }), errc::would_deadlock);
    auto after = std::move(result).then([](future<int> first) { return first.get(); });
    EXPECT_EQ(code_of([&] { workers.run([&] { after.wait(); }); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { workers.run([&] { after.wait_for(std::chrono::seconds{0}); }); }),
              errc::would_deadlock);
    done.complete(1);
    EXPECT_EQ(after.get(), 1);
    EXPECT_EQ(code_of([&] { workers.run([&] { workers.run([] {}); }); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { workers.run([&] { workers.stop(); }); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { workers.run([&] { workers.wait_idle(); }); }), errc::would_deadlock);
    completion<int> open{workers};
    auto all = when_all(open.get_future());
    EXPECT_EQ(code_of([&] { workers.run([&] { all.wait(); }); }), errc::would_deadlock);
    open.complete(2);
    EXPECT_EQ(std::get<0>(all.get()).get(), 2);

    std::promise<void> added;
    std::promise<std::optional<errc>> thrown;
    task_group round{workers};
    round.submit([&] {
        added.get_future().wait();
        thrown.set_value(code_of([&] { round.wait(); }));
    });
    added.set_value();
    EXPECT_EQ(thrown.get_future().get(), errc::would_deadlock);
    round.wait();

    contract_group served{workers};
    EXPECT_EQ(code_of([&] { workers.run([&] { served.wait(); }); }), errc::would_deadlock);
    contract_group group;
    const contract waits = group.create([&] { group.wait(); }, {.scheduled = true});
    EXPECT_EQ(code_of([&] { group.wait(); }), errc::would_deadlock);
    const contract stops = group.create([&] { group.stop(); }, {.scheduled = true});
    EXPECT_EQ(code_of([&] { group.wait(); }), errc::would_deadlock);
}

TEST(errors_page, graphs) {
    pool workers{1};
    graph some;
    graph other;
    const auto node = some.add([] { return 1; });
    EXPECT_EQ(code_of([&] { other.add([](int) {}, node); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { node.after(other.add([] {})); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { some.add("itself", some); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { static_cast<void>(some.run()); }), errc::outside_pool);
    const auto fails = some.add([] { throw 1; });
    EXPECT_EQ(code_of([&] { some.run(workers).get(); }), errc::node_failed);
    fails.after(fails);
    EXPECT_EQ(code_of([&] { some.prepare(); }), errc::would_deadlock);
    EXPECT_EQ(code_of([] { const countdown none{[] {}}; }), errc::outside_pool);
    EXPECT_EQ(code_of([] { shared_future<int>{}.wait(); }), errc::invalid_argument);
    workers.stop();
    EXPECT_EQ(code_of([&] { static_cast<void>(other.run(workers)); }), errc::stopped);
}

TEST(errors_page, stack_exhausted_full_overweight_broken) {
    pool workers{{.workers = 1, .stack_size = std::size_t{512} << 10U}};
    EXPECT_EQ(code_of([&] { workers.run([] { recurse(1'000'000); }); }), errc::stack_exhausted);

    contract_group bounded{1U};
    const contract only = bounded.create([] {});
    EXPECT_EQ(code_of([&] { static_cast<void>(bounded.create([] {})); }), errc::full);
    std::deque<contract_group> groups;
    for (int i = 0; i != 64; ++i) groups.emplace_back(workers);
    EXPECT_EQ(code_of([&] { groups.emplace_back(workers); }), errc::full);

    limit some{4};
    EXPECT_EQ(code_of([&] { when(take(some, 5)).submit(workers, [] {}); }), errc::overweight);

    future<int> result = completion<int>{workers}.get_future();
    EXPECT_EQ(code_of([&] { result.get(); }), errc::broken);
}

} // namespace
} // namespace weft
