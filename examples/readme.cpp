// The code shown in README.md: each way to say what may run, in a few lines. Its sum is
// walk/sum.cpp.
#include <weft/weft.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

namespace {

std::size_t size_of_page(weft::pool& pool) {
    const auto download = [] { return std::string{"a page"}; };
    // [future]
    weft::future<std::string> page = pool.submit(download);
    weft::future<std::size_t> size =
        std::move(page).then([](weft::future<std::string> ready) { return ready.get().size(); });
    // [/future]
    return size.get();
}

int run_graph(weft::pool& pool) {
    int result = 0;
    // [graph]
    weft::graph graph;
    auto width = graph.add("width", [] { return 6; });
    auto height = graph.add("height", [] { return 7; }); // may run at the same time as `width`
    graph.add("area", [&](int w, int h) { result = w * h; }, width, height); // after both
    graph.run(pool).get();
    // [/graph]
    return result;
}

struct account {
    std::int64_t balance = 100;
};

std::int64_t transfer_and_audit() {
    // [resource]
    weft::resource<account> alice;
    weft::resource<account> bob;
    weft::pool pool;

    weft::when(alice, bob).submit(pool, [](account& from, account& to) {
        from.balance -= 10;
        to.balance += 10;
    });
    auto total =
        weft::when(weft::read(bob), weft::read(alice)) // any order, no deadlock
            .submit(pool, [](const account& b, const account& a) { return a.balance + b.balance; });
    // [/resource]
    return total.get();
}

int signal_often() {
    // [contract]
    std::atomic<int> price{0};
    int highest = 0; // only the contract writes it, one run at a time: no lock
    weft::pool pool;
    weft::contract_group group{pool};
    const weft::contract update = group.create([&] { highest = std::max(highest, price.load()); });

    std::jthread feed{[&] {
        for (int tick = 1; tick <= 1'000; ++tick) {
            price = tick;
            update.schedule(); // signals that come before the next run are answered by one run
        }
    }};
    // [/contract]
    feed.join();
    group.wait();
    return highest;
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    weft::pool pool{2};
    const bool right = size_of_page(pool) == 6 && run_graph(pool) == 42 &&
                       transfer_and_audit() == 200 && signal_often() == 1'000;
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
