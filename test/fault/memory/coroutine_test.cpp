// What coroutines allocate: nothing for a wait, and what fails when memory does.
#include "fault/memory/failing_memory.hpp"

#include <weft/coroutine.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/generator.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace weft::coroutine_memory_test {
namespace {

using test::failing_memory;

task<int> child() { co_return 1; }

/// Ends when the pool runs a task that it posts: so the coroutine suspends.
class posted_operation {
public:
    using result_type = void;
    explicit posted_operation(pool& on) : pool_{&on} {}
    bool start(detail::completion_node& end) {
        pool_->post([node = &end] { node->notify(*node); });
        return true;
    }
    void cancel() noexcept {}
    void take() {}

private:
    pool* pool_;
};
static_assert(detail::operation<posted_operation>);

/// Every kind of wait, so that it suspends where it can; in frames that fit a worker's blocks.
task<> wait_for_futures(pool& workers) {
    auto submitted = workers.submit([] { return 1; });
    static_cast<void>(co_await submitted);
    auto coroutine = workers.submit(child());
    static_cast<void>(co_await coroutine);
}
task<> wait_for_an_operation(pool& workers) {
    posted_operation posted{workers};
    co_await posted;
    co_await yield();
}
task<> wait_for_resources(std::vector<resource<int>*>& all) {
    const auto held = co_await when(*all[0], *all[1], read(*all[2]), *all[3]);
}
task<> try_for_resource(resource<int>& other) { const auto held = co_await try_when(other); }
/// A task that is submitted before has one of the resources.
task<> wait_behind_another(std::vector<resource<int>*>& all) {
    auto before = when(*all[0]).submit([](int&) {});
    co_await wait_for_resources(all);
}
task<> wait_for_everything(pool& workers, std::vector<resource<int>*>& all, resource<int>& other) {
    static_cast<void>(co_await child());
    co_await wait_for_futures(workers);
    co_await wait_for_an_operation(workers);
    co_await wait_behind_another(all);
    co_await try_for_resource(other);
}

void expect_no_allocation(std::stop_token stop) {
    pool workers{1};
    resource<int> first{0};
    resource<int> second{0};
    resource<int> third{0};
    resource<int> fourth{0};
    resource<int> other{0};
    std::vector<resource<int>*> all{&first, &second, &third, &fourth};
    workers.run(task_options{std::move(stop)},
                [](pool& home, std::vector<resource<int>*>& named, resource<int>& tried) -> task<> {
                    for (int i = 0; i < 3; ++i) co_await wait_for_everything(home, named, tried);
                    const failing_memory none{1, test::failing::for_good};
                    for (int i = 0; i < 20; ++i) co_await wait_for_everything(home, named, tried);
                    EXPECT_FALSE(none.failed());
                }(workers, all, other));
}

TEST(memory_of_coroutines, a_wait_allocates_nothing) {
    expect_no_allocation({});
    const std::stop_source source;
    expect_no_allocation(source.get_token());
}

task<int> use_everything(pool& workers, resource<int>& held) {
    int sum = co_await child();
    auto [left, right] = co_await when_all(child(), child());
    std::vector<task<int>> several;
    for (int i = 0; i < 3; ++i) several.push_back(child());
    sum += (co_await when_any(std::move(several))).value;
    auto submitted = workers.submit([] { return 1; });
    sum += co_await submitted;
    {
        auto lease = co_await when(held);
        ++lease.get<0>();
        co_await yield();
    }
    co_return sum + left + right;
}

/// It ends with its result or with std::bad_alloc, and nothing is left or taken.
TEST(memory_of_coroutines, when_the_nth_allocation_fails_it_throws_and_nothing_is_left) {
    bool failed = true;
    for (std::uint64_t number = 1; failed; ++number) {
        ASSERT_LT(number, 1'000U);
        pool workers{1};
        const std::stop_source source;
        resource<int> held{0};
        {
            const failing_memory missing{number};
            try {
                auto result =
                    workers.submit(task_options{source.get_token()}, use_everything(workers, held));
                EXPECT_EQ(result.get(), 5);
            } catch (const std::bad_alloc&) {
            } catch (const error& thrown) {
                EXPECT_EQ(thrown.code(), errc::cancelled); // a sibling of what had no memory
            }
            failed = missing.failed();
        }
        workers.wait_idle();
        const int used = when(held).submit(workers, [](int& value) { return value; }).get();
        EXPECT_TRUE(used == 0 || used == 1);
    }
}

generator<int> two_numbers() {
    co_yield 1;
    co_yield 2;
}

TEST(memory_of_coroutines, a_generator_without_memory_is_not_made) {
    {
        const failing_memory missing{1};
        EXPECT_THROW(static_cast<void>(two_numbers()), std::bad_alloc);
    }
    int sum = 0;
    for (const int each : two_numbers()) sum += each;
    EXPECT_EQ(sum, 3);
}

} // namespace
} // namespace weft::coroutine_memory_test
