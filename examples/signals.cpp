// A tree of signals, and what a thread takes first: fair, a subtree, a function of the depth.
#include <weft/contract.hpp>
#include <weft/signal_tree.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Eight sensors, of which three have news.
std::string read_sensors() {
    std::string order;
    // [select]
    weft::signal_tree news{8}; // one signal for each of eight sensors
    for (const std::size_t sensor : {6U, 1U, 3U}) news.set(sensor);
    news.set(1); // it is set already: still one signal

    weft::signal_cursor cursor; // this thread's position in the tree
    while (const std::optional<std::size_t> sensor = news.select(cursor)) {
        order += std::to_string(*sensor);
        if (*sensor == 1 && order.size() == 1) news.set(1); // again: after the others
    }
    // [/select]
    return order; // 1361
}

/// The talk's bias: an integer with one bit for each level of the tree, the root's first. Here the
/// leaf that the bits lead to is taken if it is set.
std::string walk() {
    std::string order;
    // [flags]
    weft::signal_tree signals{8}; // three levels below the root
    for (std::size_t each = 0; each < 8; ++each) signals.set(each);

    unsigned flags = 0b010; // left, then right, then left
    const auto bias = weft::selection_bias::by_depth([&flags](unsigned depth) noexcept {
                          return (flags >> (2 - depth) & 1) != 0; // one: the right half
                      }).strict();
    weft::signal_cursor cursor;
    order += std::to_string(*signals.select(cursor, bias)); // 2
    order += std::to_string(*signals.select(cursor, bias)); // 3: its neighbour is gone
    order += std::to_string(*signals.select(cursor, bias)); // 0: the half of both is empty
    flags = 0b111;
    order += std::to_string(*signals.select(cursor, bias)); // 7
    // [/flags]
    return order;
}

/// The highest level is fixed, the others are fair: a counter says which way to go.
std::vector<int> prefer_the_right_half() {
    std::vector<int> runs(8);
    // [counter]
    weft::signal_tree signals{8};
    for (std::size_t each = 0; each < 8; ++each) signals.set(each);
    const auto bias =
        weft::selection_bias::by_depth([](unsigned depth, std::uint64_t turn) noexcept {
            if (depth == 0) return true;           // the right half, if something is set there
            return (turn >> (2 - depth) & 1) != 0; // each of its quarters and eighths in turn
        }).strict();
    weft::signal_cursor cursor;
    for (int turn = 0; turn < 40; ++turn) {
        const std::size_t signal = signals.select(cursor, bias).value();
        ++runs[signal];
        signals.set(signal); // always set: 4 to 7 have ten turns each
    }
    // [/counter]
    return runs;
}

/// Orders come first, reports when there are none; but one turn in 16 is fair.
bool serve() {
    std::atomic<int> orders{0};
    std::atomic<int> reports{0};
    // [contracts]
    weft::contract_group group;
    std::vector<weft::contract> all; // positions 0 to 63: orders, then 64 to 127: reports
    for (int i = 0; i < 64; ++i) all.push_back(group.create([&] { ++orders; }));
    for (int i = 0; i < 64; ++i) all.push_back(group.create([&] { ++reports; }));

    const auto orders_first = weft::selection_bias::prefer(0, 64);
    const auto drive = [&group](const weft::selection_bias& bias) {
        return [&group, bias] {
            while (group.execute_next_or_wait(bias)) {
            }
        };
    };
    std::jthread fair{drive(weft::selection_bias::fair())};
    std::jthread hurried{drive(orders_first)};
    for (const weft::contract& each : all) each.schedule();
    group.stop(); // runs what is due, whatever the biases
    // [/contracts]
    fair.join();
    hurried.join();
    return orders == 64 && reports == 64;
}

/// The workers of a pool.
bool change_workers() {
    std::atomic<int> runs{0};
    // [workers]
    weft::pool pool{2};
    weft::contract_group group{weft::contract_group_options{
        .pool = &pool,
        .worker_biases = {weft::selection_bias::prefer(weft::priority::high)}}}; // worker 0
    const weft::contract urgent =
        group.create([&] { ++runs; }, {.priority = weft::priority::high, .scheduled = true});
    const weft::contract regular = group.create([&] { ++runs; }, {.scheduled = true});

    group.set_worker_bias(1, weft::selection_bias::prefer(weft::priority::low).fair_turn_in(4));
    group.set_worker_bias(0, weft::selection_bias::fair()); // at any time, from any thread
    // [/workers]
    group.wait();
    return runs == 2;
}

} // namespace

int main() {
    const bool right = read_sensors() == "1361" && walk() == "2307" &&
                       prefer_the_right_half() == std::vector<int>{0, 0, 0, 0, 10, 10, 10, 10} &&
                       serve() && change_workers();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
