// Coroutines: waits without a thread, resources that are kept across waits, stopping, generators.
#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/generator.hpp>
#include <weft/resource.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// [first]
weft::task<int> height() { co_return 7; }

weft::task<int> area(weft::pool& pool) {
    weft::future<int> width = pool.submit([] { return 6; });
    co_return co_await width* co_await height(); // no thread waits
}
// [/first]

int begin(weft::pool& pool) {
    // [run]
    const int result = pool.run(area(pool));           // waits for it, outside the pool
    weft::future<int> later = pool.submit(area(pool)); // does not wait
    // [/run]
    return result - later.get();
}

struct account {
    std::int64_t balance = 100;
};

/// Some service that calls back, here on a thread of its own.
void confirm(std::int64_t amount, weft::completion<bool> done) {
    std::thread{[amount, done = std::move(done)]() mutable {
        done.complete(amount < 1'000);
    }}.detach();
}

// [lease]
weft::task<bool> transfer(weft::resource<account>& from, weft::resource<account>& to,
                          std::int64_t amount) {
    auto held = co_await weft::when(from, to); // in any order, no deadlock
    account& source = held.get<0>();
    account& target = held.get<1>();
    if (source.balance < amount) co_return false;
    source.balance -= amount;
    co_await weft::yield(); // others run; none of them has these accounts
    target.balance += amount;
    co_return true; // the accounts are passed on
}
// [/lease]

// [tried]
weft::task<bool> note_if_free(weft::resource<account>& from,
                              weft::resource<std::vector<std::string>>& log) {
    const auto held = co_await weft::when(from);
    const auto noted = co_await weft::try_when(log); // does not wait
    if (!noted) co_return false;
    noted.get<0>().push_back("balance " + std::to_string(held.get<0>().balance));
    co_return true;
}
// [/tried]

// [callback]
weft::task<bool> confirmed(std::int64_t amount) {
    weft::completion<bool> done; // of the pool that this runs on
    weft::future<bool> answer = done.get_future();
    confirm(amount, std::move(done));
    co_return co_await answer;
}
// [/callback]

weft::task<int> slow_search(int result) {
    for (int i = 0; i < 1'000; ++i) co_await weft::yield(); // throws `cancelled` if it was stopped
    co_return result;
}
weft::task<int> fast_search(int result) { co_return result; }

// [groups]
weft::task<int> search() {
    auto [left, right] = co_await weft::when_all(fast_search(1), fast_search(2));
    auto first = co_await weft::when_any(slow_search(3), fast_search(4));
    co_return left + right + std::get<1>(first.value); // the slow one was stopped, and has ended
}
// [/groups]

// [stop]
weft::task<> until_stopped() {
    for (;;) co_await weft::yield();
}

bool stop_it(weft::pool& pool) {
    std::stop_source source;
    weft::future<void> running =
        pool.submit(weft::task_options{source.get_token()}.name("loop"), until_stopped());
    source.request_stop();
    try {
        running.get();
    } catch (const weft::error& ended) {
        return ended.code() == weft::errc::cancelled;
    }
    return false;
}
// [/stop]

// [named]
weft::task<std::size_t> length(weft::pool& pool, std::string text) {
    auto count = [text = std::move(text)] { return text.size(); };
    co_return co_await pool.submit(std::move(count)); // the callable has a name
}
// [/named]

// [move]
weft::task<int> on_both(weft::pool& other) {
    weft::pool& home = *weft::pool::current();
    co_await weft::move_to(other); // from here on, a worker of `other`
    const int found = co_await fast_search(5);
    co_await weft::move_to(home);
    co_return found;
}
// [/move]

// [generator]
struct tree {
    int value;
    std::vector<tree> children;
};

weft::generator<int> values(const tree& root) {
    co_yield root.value;
    for (const tree& child : root.children) co_yield weft::elements_of(values(child));
}
// [/generator]

int sum_of_first_three() {
    const tree root{1, {{2, {{3, {}}}}, {4, {}}}};
    int sum = 0;
    // [loop]
    for (const int value : values(root)) { // 1, 2, 3, 4
        if (value > 3) break;              // what is left of the coroutine is destroyed
        sum += value;
    }
    // [/loop]
    return sum;
}

bool check_resources(weft::pool& pool) {
    weft::resource<account> alice;
    weft::resource<account> bob;
    weft::resource<std::vector<std::string>> log;
    bool right = pool.run(transfer(alice, bob, 10)) && !pool.run(transfer(alice, bob, 1'000));
    right = right && pool.run(note_if_free(alice, log)) && pool.run(confirmed(10));
    return right;
}

} // namespace

int main() {
    weft::pool pool{2};
    weft::pool other{1};
    const bool right = begin(pool) == 0 && check_resources(pool) && pool.run(search()) == 7 &&
                       stop_it(pool) && pool.run(length(pool, "text")) == 4 &&
                       pool.run(on_both(other)) == 5 && sum_of_first_three() == 6;
    std::cout << (right ? "all as expected\n" : "something is wrong\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
