// Shapes of `co_await` expressions that compilers get wrong, and those that they get right: after
// each, as many objects were destroyed as were made.
#include "conform/cpp/coroutine_helpers.hpp"

#include <weft/coroutine.hpp>
#include <weft/future.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>

namespace weft::coroutine_shapes_test {
namespace {

using namespace test;

/// g++ before 13 destroys an aggregate twice that is a temporary of a co_await, such as a closure
/// with a capture that has a destructor (GCC bug 99576 and others). What it destroys twice here is
/// a count, so that nothing worse happens than a wrong count.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
constexpr bool destroys_twice = true;
#else
constexpr bool destroys_twice = false;
#endif

/// What is left after the coroutine, which has 0 or 1 object too many destroyed.
template <class Coroutine>
int left_by(Coroutine coroutine) {
    std::atomic<int> alive{0};
    pool workers{1};
    workers.run(coroutine(workers, alive));
    workers.wait_idle();
    return alive;
}

task<> closure_in_place(pool& workers, std::atomic<int>& alive) {
    co_await workers.submit([kept = guest{alive}] {});
}
task<> closure_named_first(pool& workers, std::atomic<int>& alive) {
    auto body = [kept = guest{alive}] {};
    co_await workers.submit(std::move(body));
}
task<> future_named_first(pool& workers, std::atomic<int>& alive) {
    future<void> result = workers.submit([kept = guest{alive}] {});
    co_await result;
}
task<> reference_capture(pool& workers, std::atomic<int>& alive) {
    const guest kept{alive};
    co_await workers.submit([&kept] { static_cast<void>(kept); });
}
void take_guest(const guest& /*kept*/) {}
task<> bound_in_place(pool& workers, std::atomic<int>& alive) {
    co_await workers.submit(std::bind(take_guest, guest{alive})); // NOLINT(modernize-avoid-bind)
}
class functor {
public:
    explicit functor(guest given) : kept_{std::move(given)} {}
    void operator()() const {}

private:
    guest kept_;
};
task<> functor_in_place(pool& workers, std::atomic<int>& alive) {
    co_await workers.submit(functor{guest{alive}});
}
task<> child_with(guest /*kept*/) { co_return; }
task<> child_in_place(pool& /*workers*/, std::atomic<int>& alive) {
    co_await child_with(guest{alive});
}
task<> children_in_place(pool& /*workers*/, std::atomic<int>& alive) {
    co_await when_all(child_with(guest{alive}), child_with(guest{alive}));
    co_await when_any(child_with(guest{alive}), child_with(guest{alive}));
    co_await shielded(child_with(guest{alive}));
}
task<> options_in_place(pool& workers, std::atomic<int>& alive) {
    const std::stop_source source;
    co_await workers.submit(task_options{source.get_token()}.name("name"),
                            child_with(guest{alive}));
}
task<> lease_in_place(pool& /*workers*/, std::atomic<int>& alive) {
    resource<guest> first{alive};
    resource<guest> second{alive};
    const auto held = co_await when(first, read(second));
    const auto more = co_await try_when(first);
}
task<> operation_in_place(pool& /*workers*/, std::atomic<int>& /*alive*/) {
    co_await manual_operation{true};
}
task<std::string> text() { co_return std::string(100, 'x'); }
task<> text_in_place(pool& /*workers*/, std::atomic<int>& /*alive*/) {
    EXPECT_EQ((co_await text()).size() + (co_await text()).size(), 200U);
}

TEST(coroutine_shapes, that_are_right_with_every_compiler) {
    EXPECT_EQ(left_by(closure_named_first), 0);
    EXPECT_EQ(left_by(future_named_first), 0);
    EXPECT_EQ(left_by(reference_capture), 0);
    EXPECT_EQ(left_by(bound_in_place), 0);
    EXPECT_EQ(left_by(functor_in_place), 0);
    EXPECT_EQ(left_by(child_in_place), 0);
    EXPECT_EQ(left_by(children_in_place), 0);
    EXPECT_EQ(left_by(options_in_place), 0);
    EXPECT_EQ(left_by(lease_in_place), 0);
    EXPECT_EQ(left_by(operation_in_place), 0);
    EXPECT_EQ(left_by(text_in_place), 0);
}

TEST(coroutine_shapes, that_old_compilers_get_wrong_are_known) {
    EXPECT_EQ(left_by(closure_in_place), destroys_twice ? -1 : 0);
}

} // namespace
} // namespace weft::coroutine_shapes_test
