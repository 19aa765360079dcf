#include <weft/weft.hpp>

#include <atomic>
#include <iostream>
#include <thread>

int main() {
    std::atomic<int> newest{0};
    int seen = 0; // only the contract writes it, one run at a time
    weft::pool pool;
    weft::contract_group group{pool};
    const weft::contract look = group.create([&] { seen = newest; });

    std::jthread feed{[&] {
        for (int i = 1; i <= 1'000; ++i) {
            newest = i;
            look.schedule();
        }
    }};
    feed.join();
    group.wait(); // until nothing is due and nothing runs
    std::cout << seen << '\n';
}
