// The examples of the talk that contracts come from, as they stand there. What differs:
//
//  - `std::println` is not there with g++ 12: lines are collected and compared.
//  - A lambda's statements end with a semicolon.
//  - `execute_next_contract()` never blocks; it returns whether something was run.
//  - "Repeatable invocation" shows i = 1 and i = 2; the code prints i++ and starts from 0.
//  - The consumer of the single-producer queue may be run once more than there is something in the
//    queue: a schedule that comes while it runs is answered by another run, though the run had
//    taken all. So it looks before it pops.
//  - The producer ends when the queue is empty; the last element may still be on its way out then.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(seed, basic_invocation) {
    std::string lines;
    // create a work contract group
    work_contract_group workContractGroup(4);

    // create work contract
    auto workContract = workContractGroup.create_contract([&]() { lines += "executed\n"; });

    // schedule the work contract
    workContract.schedule();

    // execute the next scheduled contract
    workContractGroup.execute_next_contract();
    EXPECT_EQ(lines, "executed\n");
    EXPECT_FALSE(workContractGroup.execute_next_contract());
}

TEST(seed, asynchronous_destruction) {
    std::string lines;
    work_contract_group workContractGroup(4);

    auto workContract = workContractGroup.create_contract([&]() { lines += "executed\n"; },
                                                          [&]() { lines += "destroyed\n"; });
    workContract.schedule();
    workContractGroup.execute_next_contract();
    EXPECT_EQ(lines, "executed\n");

    workContract.release();
    EXPECT_EQ(lines, "executed\n");
    workContractGroup.execute_next_contract();
    EXPECT_EQ(lines, "executed\ndestroyed\n");
}

TEST(seed, repeatable_invocation) {
    std::string lines;
    work_contract_group workContractGroup(4);

    auto workContract = workContractGroup.create_contract(
        [&, i = 0]() mutable { lines += "i = " + std::to_string(i++) + "\n"; });

    workContract.schedule();
    workContractGroup.execute_next_contract();

    workContract.schedule();
    workContractGroup.execute_next_contract();
    EXPECT_EQ(lines, "i = 0\ni = 1\n");
}

TEST(seed, work_contract_token) {
    std::string lines;
    work_contract_group workContractGroup(4);
    std::atomic<bool> done{false};

    auto workContract = workContractGroup.create_contract(
        [&, i = 0](work_contract_token& token) mutable {
            lines += "i = " + std::to_string(i++) + "\n";
            if (i < 2) token.schedule();
            else token.release();
        },
        [&]() {
            lines += "destroyed\n";
            done = true;
        });

    workContract.schedule();
    while (!done) workContractGroup.execute_next_contract();
    EXPECT_EQ(lines, "i = 0\ni = 1\ndestroyed\n");
}

/// 24 threads and one contract that schedules itself: the lines are not mangled.
TEST(seed, adding_threading) {
    work_contract_group workContractGroup;
    std::vector<std::pair<std::thread::id, int>> lines; // no lock: there is one run at a time
    std::atomic<int> count{0};
    const int wanted = static_cast<int>(scaled(sanitized ? 2'000 : 20'000, 1'000'000));
    lines.reserve(static_cast<std::size_t>(wanted));
    {
        std::vector<std::jthread> threads(24);
        for (auto& thread : threads) {
            thread = std::jthread([&](const std::stop_token& stopToken) {
                while (!stopToken.stop_requested()) workContractGroup.execute_next_contract();
            });
        }

        auto workContract = workContractGroup.create_contract([&, i = 0](auto& token) mutable {
            lines.emplace_back(std::this_thread::get_id(), i++);
            count = i;
            if (i < wanted) token.schedule();
        });

        workContract.schedule();
        spin_until([&] { return count == wanted; });
        workContractGroup.wait();
    }
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(wanted));
    for (int i = 0; i < wanted; ++i) ASSERT_EQ(lines[static_cast<std::size_t>(i)].second, i);
}

/// One writer, one reader, as the talk uses it.
template <class T>
class spsc_fixed_queue {
public:
    explicit spsc_fixed_queue(std::size_t capacity) : content_(capacity) {}
    bool push(const T& value) {
        const std::size_t position = back_.load(std::memory_order_relaxed);
        if (position - front_.load(std::memory_order_acquire) == content_.size()) return false;
        content_[position % content_.size()] = value;
        back_.store(position + 1, std::memory_order_release);
        return true;
    }
    T pop() {
        const std::size_t position = front_.load(std::memory_order_relaxed);
        T value = content_[position % content_.size()];
        front_.store(position + 1, std::memory_order_release);
        return value;
    }
    [[nodiscard]] bool empty() const {
        return front_.load(std::memory_order_acquire) == back_.load(std::memory_order_acquire);
    }

private:
    std::vector<T> content_;
    std::atomic<std::size_t> front_{0};
    std::atomic<std::size_t> back_{0};
};

TEST(seed, single_threaded_execution) {
    constexpr int count = 8192;
    std::vector<int> consumed;
    spsc_fixed_queue<int> queue(1024);
    work_contract_group workContractGroup;

    static auto constexpr num_worker_threads = 16;
    std::vector<std::jthread> workerThreads(num_worker_threads);
    for (auto& workerThread : workerThreads) {
        workerThread = std::jthread([&](const std::stop_token& token) {
            while (!token.stop_requested()) workContractGroup.execute_next_contract();
        });
    }

    // async consume
    auto workContract = workContractGroup.create_contract([&](auto& token) {
        if (!queue.empty()) consumed.push_back(queue.pop());
        if (!queue.empty()) token.schedule();
    });

    // produce
    for (auto i = 0; i < count; ++i) {
        while (!queue.push(i)) std::this_thread::yield();
        workContract.schedule();
    }

    while (!queue.empty()) std::this_thread::yield();
    workerThreads.clear();
    workContractGroup.wait();

    ASSERT_EQ(consumed.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) ASSERT_EQ(consumed[static_cast<std::size_t>(i)], i);
}

} // namespace
} // namespace weft
