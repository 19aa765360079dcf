// Graphs of tasks: built once, run many times.
#include <weft/countdown.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/shared_future.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using words = std::vector<std::string>;

words split(const std::string& text) {
    words found{""};
    for (const char each : text) {
        if (each == ' ') found.emplace_back();
        else found.back() += each;
    }
    return found;
}

// [first]
std::size_t letters = 0;
std::size_t longest = 0;

weft::graph make_graph() {
    weft::graph graph;
    auto load = graph.add("load", [] { return std::string{"a loom weaves many threads"}; });
    auto parse = graph.add("parse", split, load); // runs after `load`, and gets its result
    auto count = graph.add(
        "count",
        [](const words& all) { // both read the same vector
            for (const std::string& each : all) letters += each.size();
        },
        parse);
    auto measure = graph.add(
        "measure",
        [](const words& all) {
            for (const std::string& each : all) longest = std::max(longest, each.size());
        },
        parse);
    graph.add("report", [] { std::cout << letters << ' ' << longest << '\n'; })
        .after(count, measure); // no result is passed, only the order
    return graph;
}
// [/first]

int run_twice() {
    // [run]
    weft::pool pool;
    weft::graph graph = make_graph();
    weft::future<void> done = graph.run(pool); // returns at once
    done.get();
    graph.run(pool).get(); // any number of times, nothing is built again
    // [/run]
    return letters == 44 && longest == 7 ? 0 : 1;
}

int take(weft::pool& pool) {
    // [take]
    weft::graph graph;
    std::string kept;
    auto text = graph.add([] { return std::string(1'000'000, 'x'); });
    auto size = graph.add([](const std::string& it) { return it.size(); }, text);
    graph.add([&](std::string whole, std::size_t) { kept = std::move(whole); }, std::move(text),
              size);
    // [/take]
    graph.run(pool).get();
    return kept.size() == 1'000'000 ? 0 : 1;
}

int newton(weft::pool& pool) {
    // [branch]
    double root = 0;
    weft::graph graph;
    auto guess = graph.add("guess", [&] { root = 1; });
    auto improve = graph.add("improve", [&] { root = (root + 2 / root) / 2; }).after(guess);
    auto again = graph.branch("precise?", [&] { return std::abs(root * root - 2) < 1e-9 ? 1 : 0; })
                     .after(improve);
    auto print = graph.add("print", [&] { std::cout << root << '\n'; });
    again.chooses(improve, print); // 0: another turn, 1: print
    // [/branch]
    graph.run(pool).get();
    return root > 1.414 && root < 1.415 ? 0 : 1;
}

int parts(weft::pool& pool, const std::vector<std::vector<int>>& rows) {
    std::atomic<int> sum{0};
    int seen = 0;
    // [subgraph]
    weft::graph graph;
    auto all = graph.add("rows", [&](weft::subgraph& made) {
        for (const std::vector<int>& row : rows) {
            made.add([&] { sum += std::accumulate(row.begin(), row.end(), 0); });
        }
    });
    graph.add("sum", [&] { seen = sum; }).after(all); // after every row
    // [/subgraph]
    graph.run(pool).get();
    // [module]
    weft::graph twice;
    auto first = twice.add("first", graph);
    twice.add("second", graph).after(first);
    // [/module]
    twice.run(pool).get();
    return seen == 3 * 10 ? 0 : 1;
}

int on_resources(weft::pool& pool) {
    // [resource]
    weft::resource<int> total{0};
    weft::limit connections{2};
    weft::graph graph;
    for (int i = 0; i != 10; ++i) {
        auto page = graph.add("fetch", weft::when(connections), [i] { return 100 + i; });
        graph.add("add", weft::when(total), [](int& sum, int size) { sum += size; }, page);
    }
    // [/resource]
    graph.run(pool).get();
    return weft::when(total).submit(pool, [](int& sum) { return sum; }).get() == 1045 ? 0 : 1;
}

int failing(weft::pool& pool) {
    weft::graph graph;
    auto bad = graph.add("parse", [] { throw std::runtime_error{"no such file"}; });
    graph.add("never", [] {}).after(bad);
    // [failure]
    try {
        graph.run(pool).get();
    } catch (const weft::error& failed) {
        std::cout << failed.what() << '\n'; // weft::graph, node "parse", which threw: no such …
        try {
            std::rethrow_if_nested(failed);
        } catch (const std::runtime_error& cause) {
            return cause.what() == std::string{"no such file"} ? 0 : 1;
        }
    }
    // [/failure]
    return 1;
}

int shared(weft::pool& pool) {
    // [shared]
    weft::shared_future<words> all = pool.submit([] { return split("to be or not"); }).share();
    auto count = all.then([](const auto& ready) { return ready.get().size(); });
    auto first = all.then([](const auto& ready) { return ready.get().front(); });
    // [/shared]
    return count.get() == 4 && first.get() == "to" ? 0 : 1;
}

int count_letters(weft::pool& pool, const words& texts) {
    std::atomic<int> sum{0};
    // [countdown]
    weft::countdown total{pool, [&] { return sum.load(); }}; // one dependency: `total` itself
    weft::future<int> result = total.get_future();
    for (const std::string& text : texts) {
        pool.post([&sum, &text, total] { // a copy is one more, and ends with the task
            sum += static_cast<int>(text.size());
        });
    }
    total.arrive();
    // [/countdown]
    return result.get() == 9 ? 0 : 1;
}

} // namespace

int main() {
    weft::pool pool;
    return run_twice() + take(pool) + newton(pool) + parts(pool, {{1, 2}, {3, 4}}) +
                       on_resources(pool) + failing(pool) + shared(pool) +
                       count_letters(pool, {"one", "two", "six"}) ==
                   0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
