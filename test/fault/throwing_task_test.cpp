// Whichever task of many throws, the exception arrives once, and no other task is lost for it.
#include "support/scale.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/task_group.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <vector>

namespace weft::test {
namespace {

constexpr int task_count = 1000;

struct thrown_by {
    int position;
};

/// 1000 tasks, of which one throws after it has done its work.
class graph {
public:
    explicit graph(int thrower) : thrower_{thrower} {}

    void run_task(int position) {
        ++runs_.at(static_cast<std::size_t>(position));
        if (position == thrower_) throw thrown_by{position};
    }
    [[nodiscard]] bool each_ran_once() const {
        for (const auto& each : runs_) {
            if (each != 1) return false;
        }
        return true;
    }

private:
    int thrower_;
    std::array<std::atomic<int>, task_count> runs_{};
};

/// What a pool reports of tasks that nobody asked for.
struct reports {
    std::atomic<int> count{0};
    std::atomic<int> position{-1};
    [[nodiscard]] pool_options options(std::size_t workers) {
        pool_options made{.workers = workers};
        made.on_error = [this](const std::exception_ptr& error) {
            ++count;
            try {
                std::rethrow_exception(error);
            } catch (const thrown_by& thrown) {
                position = thrown.position;
            }
        };
        return made;
    }
};

/// For each position of the thrower, on two sizes of pools: `run` throws what was thrown, all tasks
/// have run once when the pool is gone, and nothing is reported besides.
void expect_thrown_to_caller(const std::function<void(pool&, graph&)>& run) {
    const int step = static_cast<int>(scaled(7, 1));
    for (const std::size_t size : {1U, 3U}) {
        for (int thrower = 0; thrower < task_count; thrower += step) {
            reports unasked;
            graph tasks{thrower};
            int caught = -1;
            {
                pool workers{unasked.options(size)};
                try {
                    run(workers, tasks);
                } catch (const thrown_by& thrown) {
                    caught = thrown.position;
                }
            }
            ASSERT_EQ(caught, thrower);
            ASSERT_TRUE(tasks.each_ran_once()) << "thrower " << thrower;
            ASSERT_EQ(unasked.count, 0) << "thrower " << thrower;
        }
    }
}

// The tasks are the nodes of a tree, numbered row by row: node n has the children 2n + 1 and 2n +
// 2.

void fork_children(graph& tasks, int node);

void fork_node(graph& tasks, int node) {
    std::exception_ptr failed;
    try {
        fork_children(tasks, node);
    } catch (...) {
        failed = std::current_exception();
    }
    tasks.run_task(node);
    if (failed) std::rethrow_exception(failed);
}

void fork_children(graph& tasks, int node) {
    const int left = 2 * node + 1;
    if (left + 1 < task_count) {
        fork_join([&, left] { fork_node(tasks, left); }, [&, left] { fork_node(tasks, left + 1); });
    } else if (left < task_count) {
        fork_node(tasks, left);
    }
}

void submit_node(pool& workers, graph& tasks, int node) {
    std::vector<future<void>> children;
    for (int child = 2 * node + 1; child <= 2 * node + 2 && child < task_count; ++child) {
        children.push_back(workers.submit([&, child] { submit_node(workers, tasks, child); }));
    }
    std::exception_ptr failed;
    for (future<void>& each : children) {
        try {
            each.get();
        } catch (...) {
            failed = std::current_exception();
        }
    }
    tasks.run_task(node);
    if (failed) std::rethrow_exception(failed);
}

// A parent that throws while its other child is running is ended before that child: the child is
// still run, and the graph outlives the pool.
void submit_node_and_leave(pool& workers, graph& tasks, int node) {
    std::vector<future<void>> children;
    for (int child = 2 * node + 1; child <= 2 * node + 2 && child < task_count; ++child) {
        children.push_back(
            workers.submit([&, child] { submit_node_and_leave(workers, tasks, child); }));
    }
    tasks.run_task(node);
    for (future<void>& each : children) each.get();
}

TEST(throwing_task, of_a_fork_join_tree_throws_out_of_its_root) {
    expect_thrown_to_caller(
        [](pool& workers, graph& tasks) { workers.run([&] { fork_node(tasks, 0); }); });
}

TEST(throwing_task, of_a_tree_of_futures_throws_out_of_its_root) {
    expect_thrown_to_caller(
        [](pool& workers, graph& tasks) { workers.run([&] { submit_node(workers, tasks, 0); }); });
}

TEST(throwing_task, of_a_tree_that_is_left_early_throws_out_of_its_root) {
    expect_thrown_to_caller([](pool& workers, graph& tasks) {
        workers.run([&] { submit_node_and_leave(workers, tasks, 0); });
    });
}

TEST(throwing_task, of_a_group_throws_out_of_its_wait) {
    expect_thrown_to_caller([](pool& workers, graph& tasks) {
        task_group group{workers};
        for (int i = 0; i < task_count; ++i) group.submit([&, i] { tasks.run_task(i); });
        group.wait();
    });
}

TEST(throwing_task, of_a_chain_throws_out_of_its_end) {
    expect_thrown_to_caller([](pool& workers, graph& tasks) {
        future<void> last = workers.submit([&] { tasks.run_task(0); });
        for (int i = 1; i < task_count; ++i) {
            last = std::move(last).then([&, i](future<void> before) {
                std::exception_ptr failed;
                try {
                    before.get();
                } catch (...) {
                    failed = std::current_exception();
                }
                tasks.run_task(i);
                if (failed) std::rethrow_exception(failed);
            });
        }
        last.get();
    });
}

TEST(throwing_task, that_nobody_asks_for_is_reported_once) {
    const int step = static_cast<int>(scaled(7, 1));
    for (int thrower = 0; thrower < task_count; thrower += step) {
        reports unasked;
        graph tasks{thrower};
        {
            pool workers{unasked.options(3)};
            for (int i = 0; i < task_count; ++i) workers.submit([&, i] { tasks.run_task(i); });
        }
        ASSERT_TRUE(tasks.each_ran_once()) << "thrower " << thrower;
        ASSERT_EQ(unasked.count, 1) << "thrower " << thrower;
        ASSERT_EQ(unasked.position, thrower);
    }
}

} // namespace
} // namespace weft::test
