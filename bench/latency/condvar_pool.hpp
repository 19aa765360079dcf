// The plainest pool: a queue, a mutex and a condition variable.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace bench::latency {

class condvar_pool {
public:
    explicit condvar_pool(std::size_t threads) {
        for (; threads != 0; --threads) threads_.emplace_back([this] { work(); });
    }
    ~condvar_pool() {
        {
            const std::scoped_lock lock{mutex_};
            stopped_ = true;
        }
        changed_.notify_all();
        for (std::thread& each : threads_) each.join();
    }
    condvar_pool(const condvar_pool&) = delete;
    condvar_pool& operator=(const condvar_pool&) = delete;

    void submit(std::function<void()> task) {
        {
            const std::scoped_lock lock{mutex_};
            tasks_.push(std::move(task));
        }
        changed_.notify_one();
    }

    /// Submits, and waits for the end.
    template <class Task>
    void run(const Task& task) {
        std::mutex mutex;
        std::condition_variable ended;
        bool done = false;
        submit([&] {
            task();
            // Notified under the lock: the submitter's variables are destroyed soon afterwards.
            const std::scoped_lock lock{mutex};
            done = true;
            ended.notify_one();
        });
        std::unique_lock lock{mutex};
        ended.wait(lock, [&] { return done; });
    }

private:
    void work() {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            const std::function<void()> task = std::move(tasks_.front());
            tasks_.pop();
            lock.unlock();
            task();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> tasks_;
    bool stopped_ = false;
    std::vector<std::thread> threads_;
};

} // namespace bench::latency
