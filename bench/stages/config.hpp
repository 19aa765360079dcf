// Items that go through a source, parts in parallel, and an end that sees them in order.
#pragma once

#include "runner/timed.hpp"
#include "shell/stopwatch.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::stages {

using weft::cli::stopwatch;

/// `stages` counts the source and the end.
struct problem {
    std::int64_t stages;
    std::int64_t capacity;
    std::int64_t body; // nanoseconds of each parallel stage
    std::int64_t items;
    [[nodiscard]] parameters describe() const {
        return {{"stages", stages}, {"capacity", capacity}, {"body", body}};
    }
};

inline std::vector<problem> problems(const request& request) {
    const std::int64_t scale = request.choose<std::int64_t>(1, 8);
    std::vector<problem> all;
    for (const std::int64_t stages : {1, 3, 16}) {
        for (const std::int64_t capacity : {4, 64}) {
            all.push_back({stages, capacity, 0, scale * (stages == 16 ? 20'000 : 100'000)});
        }
    }
    for (const std::int64_t capacity : {4, 64}) {
        all.push_back({3, capacity, 1'000, scale * 20'000});
    }
    return all;
}

inline void work(std::int64_t nanoseconds) {
    if (nanoseconds == 0) return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds{nanoseconds};
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// What the end must have seen: each number once, in order.
class order_check {
public:
    void see(std::int64_t item) {
        wrong_ = wrong_ || item != expected_;
        ++expected_;
    }
    void check(const problem& of) const {
        if (wrong_) throw wrong_result{"items came in another order"};
        expect_equal("items", expected_, of.items);
    }

private:
    std::int64_t expected_ = 0;
    bool wrong_ = false;
};

inline std::int64_t context_switches() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw + used.ru_nivcsw;
}

/// `run(problem, order_check&)` brings all items through.
template <class Run>
contestant timed_items(const problem& each, Run run) {
    return {each.describe(), {}, [each, run]() -> std::vector<sample> {
                order_check order;
                const std::int64_t before = context_switches();
                const stopwatch watch;
                run(each, order);
                const double seconds = watch.seconds();
                const std::int64_t switches = context_switches() - before;
                order.check(each);
                const auto items = static_cast<double>(each.items);
                return {{"ns_per_item", seconds * 1e9 / items, "ns"},
                        {"switches_per_item", static_cast<double>(switches) / items, ""}};
            }};
}

} // namespace bench::stages
