#include "support/thorough.hpp"

#include <weft/detail/cluster/problem_store.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// A task of n adds two of n - 1; the result counts them all.
struct halving {
    using task = int;
    using result = int;
    void work(int depth, bag<int>& more, int& count) const {
        ++count;
        for (int i = 0; depth != 0 && i != 2; ++i) more.add(depth - 1);
    }
};

/// Asks after every task, and has nothing to say.
class plain_guide final : public detail::worker_guide {
public:
    [[nodiscard]] advice between_tasks(std::size_t /*seat*/) noexcept override {
        return {.tasks = 1};
    }
    void notify() noexcept override {}
};

int result_of(detail::problem_store<halving>& store) {
    explorer::check(store.try_pause(), "no worker is left in a seat");
    std::vector<std::byte> bytes;
    store.copy_result(bytes);
    int count = 0;
    detail::byte_reader{bytes}(count);
    return count;
}

/// The code that ships: two workers, and the exchange, which takes tasks away and brings them back.
void workers_and_an_exchange(int depth, bool exchanges) {
    const halving problem;
    detail::problem_store<halving> store{problem, 2};
    plain_guide guide;
    store.add_root(depth);
    const auto work = [&] { static_cast<void>(store.run_some(guide)); };
    const auto exchange = [&] {
        std::vector<std::byte> bytes;
        const std::size_t taken = store.take(2, detail::task_store::no_seat, bytes);
        explorer::check(taken == 0 || !store.has_failed(), "it takes what is there");
        if (taken != 0) store.put(bytes, taken);
        store.want(1);
    };
    if (exchanges) together(named("worker", work), named("exchange", exchange));
    else together(named("worker", work), named("other worker", work));
    while (store.has_work()) static_cast<void>(store.run_some(guide));
    explorer::check(store.is_passive(), "all is done");
    explorer::check(result_of(store) == (2 << depth) - 1, "each task was run once");
}

TEST(problem_store, loses_no_task_between_two_workers) {
    test::explore_pool("problem_store: two workers", [] { workers_and_an_exchange(1, false); });
}

TEST(problem_store, loses_no_task_between_a_worker_and_the_exchange) {
    test::explore_pool("problem_store: an exchange", [] { workers_and_an_exchange(1, true); });
}

} // namespace
} // namespace weft
