#include <weft/weft.hpp>

#include <cstdint>
#include <iostream>

struct account {
    std::int64_t balance = 100;
};

int main() {
    weft::resource<account> alice;
    weft::resource<account> bob;
    weft::pool pool;

    for (int i = 0; i != 10; ++i) { // in both orders: with two mutexes this could deadlock
        weft::when(alice, bob).submit(pool, [](account& a, account& b) {
            a.balance -= 7;
            b.balance += 7;
        });
        weft::when(bob, alice).submit(pool, [](account& b, account& a) {
            b.balance -= 2;
            a.balance += 2;
        });
    }
    auto total = weft::when(weft::read(alice), weft::read(bob))
                     .submit(pool, [](const account& a, const account& b) {
                         std::cout << a.balance << " and " << b.balance << '\n';
                         return a.balance + b.balance;
                     });
    std::cout << total.get() << '\n';
}
