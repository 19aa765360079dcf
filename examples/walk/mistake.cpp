#include <weft/weft.hpp>

#include <iostream>

int main() {
    try {
        weft::fork_join([] {}, [] {}); // main is not a worker of a pool
    } catch (const weft::error& wrong) {
        std::cout << weft::name_of(wrong.code()) << '\n' << wrong.what() << '\n';
    }
}
