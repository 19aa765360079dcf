#include <weft/weft.hpp>

#include <atomic>
#include <iostream>
#include <thread>

int main() {
    std::atomic<int> newest{0};
    int seen = 0; // only the contract writes it, and never beside itself
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
    group.wait(); // nothing is due, nothing runs
    std::cout << seen << '\n';
}
