// A pool as it is often written: a queue of std::function under a mutex, and a std::future for each
// task. The nodes are run level by level, since a task of such a pool must not wait for another.
#include "acts/graph/acts.hpp"
#include "acts/graph/runs.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace weft::demo::graph {
namespace {

class simple_pool {
public:
    explicit simple_pool(std::size_t threads) {
        for (std::size_t each = 0; each != threads; ++each)
            threads_.emplace_back([this] { work(); });
    }
    ~simple_pool() {
        {
            const std::lock_guard lock{mutex_};
            stopped_ = true;
        }
        changed_.notify_all();
        for (std::thread& each : threads_) each.join();
    }
    simple_pool(const simple_pool&) = delete;
    simple_pool& operator=(const simple_pool&) = delete;

    template <class Body>
    std::future<void> submit(Body body) {
        auto task = std::make_shared<std::packaged_task<void()>>(std::move(body));
        std::future<void> result = task->get_future();
        {
            const std::lock_guard lock{mutex_};
            tasks_.emplace([task] { (*task)(); });
        }
        changed_.notify_one();
        return result;
    }

private:
    void work() {
        for (;;) {
            std::function<void()> next;
            {
                std::unique_lock lock{mutex_};
                changed_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
                if (tasks_.empty()) return;
                next = std::move(tasks_.front());
                tasks_.pop();
            }
            next();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> tasks_;
    bool stopped_ = false;
    std::vector<std::thread> threads_;
};

/// A node is one level behind the last of the nodes that it comes after.
std::vector<std::vector<std::size_t>> levels_of(const std::vector<node>& nodes) {
    std::vector<std::size_t> level(nodes.size(), 0);
    std::vector<std::vector<std::size_t>> levels;
    for (std::size_t number = 0; number != nodes.size(); ++number) {
        for (const std::size_t each : nodes[number].before)
            level[number] = std::max(level[number], level[each] + 1);
        levels.resize(std::max(levels.size(), level[number] + 1));
        levels[level[number]].push_back(number);
    }
    return levels;
}

} // namespace

outcome with_levels(const settings& settings) {
    frame played;
    const auto levels = levels_of(played.nodes());
    simple_pool pool{settings.threads};
    return measure(settings, for_some_runs, played, [&] {
        for (const std::vector<std::size_t>& level : levels) {
            std::vector<std::future<void>> ended;
            for (const std::size_t each : level)
                ended.push_back(pool.submit([&played, each] { played.run_node(each); }));
            for (std::future<void>& each : ended) each.get();
        }
    });
}

} // namespace weft::demo::graph
