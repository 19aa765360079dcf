// Two philosophers as a Petri net: one fork after the other may end in a deadlock, both at once
// cannot.
#include <weft/lab/analysis.hpp>
#include <weft/lab/net.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace weft::petri;

// [net]
/// Each takes the fork on its left, then the one on its right: with two of them, crosswise.
net one_after_the_other() {
    net table;
    const auto one = table.add_place("fork 1", 1);
    const auto two = table.add_place("fork 2", 1);
    const auto philosopher = [&](const std::string& name, auto left, auto right) {
        const auto thinks = table.add_place(name + " thinks", 1);
        const auto has_left = table.add_place(name + " has one");
        const auto eats = table.add_place(name + " eats");
        table.add_transition(name + " takes one").take(thinks).take(left).put(has_left);
        table.add_transition(name + " takes the other").take(has_left).take(right).put(eats);
        table.add_transition(name + " puts both").take(eats).put(left).put(right).put(thinks);
    };
    philosopher("Hypatia", one, two);
    philosopher("Zeno", two, one);
    return table;
}

/// Each takes both forks in one step: what `weft::when(left, right)` does.
net both_at_once() {
    net table;
    const auto one = table.add_place("fork 1", 1);
    const auto two = table.add_place("fork 2", 1);
    for (const std::string name : {"Hypatia", "Zeno"}) {
        const auto thinks = table.add_place(name + " thinks", 1);
        const auto eats = table.add_place(name + " eats");
        table.add_transition(name + " takes both").take(thinks).take(one).take(two).put(eats);
        table.add_transition(name + " puts both").take(eats).put(one).put(two).put(thinks);
    }
    return table;
}
// [/net]

// [explore]
/// The number of reachable markings from which nothing can fire; prints the path to the first.
std::size_t deadlocks(net table) {
    const state_space all = explore(table);
    const report result = analyse(all);
    std::cout << result.markings << " markings, " << result.dead_markings.size() << " dead\n";
    if (!result.dead_markings.empty()) {
        std::cout << write_trace(all.firings_to(result.dead_markings.front()));
    }
    return result.dead_markings.size();
}
// [/explore]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    const bool right = deadlocks(one_after_the_other()) == 1 && deadlocks(both_at_once()) == 0;
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
