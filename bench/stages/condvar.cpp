// A thread for each stage, and queues with a mutex and condition variables between them.
#include "stages/config.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bench::stages {
namespace {

class bounded_queue {
public:
    explicit bounded_queue(std::int64_t capacity) : capacity_{static_cast<std::size_t>(capacity)} {}
    void push(std::int64_t item) {
        std::unique_lock lock{guard_};
        has_room_.wait(lock, [&] { return items_.size() < capacity_; });
        items_.push_back(item);
        lock.unlock();
        has_items_.notify_one();
    }
    std::int64_t pop() {
        std::unique_lock lock{guard_};
        has_items_.wait(lock, [&] { return !items_.empty(); });
        const std::int64_t item = items_.front();
        items_.pop_front();
        lock.unlock();
        has_room_.notify_one();
        return item;
    }

private:
    const std::size_t capacity_;
    std::mutex guard_;
    std::condition_variable has_room_;
    std::condition_variable has_items_;
    std::deque<std::int64_t> items_;
};

constexpr std::int64_t end_of_items = -1;

void run(const problem& of, order_check& order) {
    if (of.stages == 1) {
        for (std::int64_t i = 0; i < of.items; ++i) order.see(i);
        return;
    }
    std::vector<std::unique_ptr<bounded_queue>> queues;
    for (std::int64_t i = 1; i < of.stages; ++i) {
        queues.push_back(std::make_unique<bounded_queue>(of.capacity));
    }
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
        for (std::int64_t i = 0; i < of.items; ++i) queues.front()->push(i);
        queues.front()->push(end_of_items);
    });
    for (std::size_t i = 1; i < queues.size(); ++i) {
        threads.emplace_back([&, i] {
            for (std::int64_t item = 0; item != end_of_items;) {
                item = queues[i - 1]->pop();
                if (item != end_of_items) work(of.body);
                queues[i]->push(item);
            }
        });
    }
    for (std::int64_t item = queues.back()->pop(); item != end_of_items;) {
        order.see(item);
        item = queues.back()->pop();
    }
}

/// The number of threads is that of the stages.
std::vector<contestant> contestants(const request& request) {
    std::vector<contestant> made;
    for (const problem& each : problems(request)) made.push_back(timed_items(each, run));
    return made;
}

const registration registered{{"stages", "queues", contestants}};

} // namespace
} // namespace bench::stages
