// A million contracts: the cost of creating and keeping them, of polling when none is due, and of
// finding one that is due.
#include "contracts/config.hpp"

#include <weft/contract.hpp>
#include <weft/detail/lockfree/mark_tree.hpp>

#include <malloc.h>

#include <bit>
#include <cstdio>

namespace bench::contracts {
namespace {

double nanoseconds(clock::duration taken, std::size_t times) {
    return std::chrono::duration<double, std::nano>(taken).count() / static_cast<double>(times);
}

/// The memory of the process that is in use, from the system.
double resident_bytes() {
    std::size_t whole = 0;
    std::size_t resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    if (std::fscanf(file, "%zu %zu", &whole, &resident) != 2) resident = 0;
    std::fclose(file);
    return static_cast<double>(resident) * 4096;
}

template <class Body>
double time_of(std::size_t times, const Body& body) {
    const stopwatch watch;
    for (std::size_t i = 0; i < times; ++i) body(i);
    return watch.nanoseconds() / static_cast<double>(times);
}

std::vector<sample> measure(std::size_t count) {
    std::vector<weft::contract> all(count);
    ::malloc_trim(0); // else what the last run has left is used again, and not counted
    const double before = resident_bytes();
    weft::contract_group group;
    std::uint64_t runs = 0;
    const double create =
        time_of(count, [&](std::size_t i) { all[i] = group.create([&runs] { ++runs; }); });
    const double memory = (resident_bytes() - before) / static_cast<double>(count);
    constexpr std::size_t times = 200'000;
    const double idle = time_of(times, [&](std::size_t) { group.try_execute_next(); });
    // Signals and runs one contract: always the same, and below a random one each time.
    const double same = time_of(times, [&](std::size_t) {
        all[count / 3].schedule();
        group.try_execute_next();
    });
    const double schedule = time_of(times, [&](std::size_t) { all[count / 3].schedule(); });
    group.try_execute_next();
    std::uint64_t state = 1;
    const auto schedule_any = [&] {
        state = state * 6364136223846793005U + 1442695040888963407U;
        all[(state >> 33) % count].schedule();
    };
    const double random = time_of(times, [&](std::size_t) {
        schedule_any();
        group.try_execute_next();
    });
    // Only the finding and running, less the cost of the clock.
    const auto time_each = [&](const auto& body) {
        clock::duration sum{};
        for (std::size_t i = 0; i < times; ++i) {
            schedule_any();
            const auto begin = clock::now();
            body();
            sum += clock::now() - begin;
            group.try_execute_next();
        }
        return nanoseconds(sum, times);
    };
    const double find = time_each([&] { group.try_execute_next(); }) - time_each([] {});
    weft::detail::mark_tree tree;
    tree.reserve(count);
    return {{"create", create, "ns"},
            {"memory_per_contract", memory, "B"},
            {"idle_poll", idle, "ns"},
            {"schedule", schedule, "ns"},
            {"schedule_and_find", same, "ns"},
            {"schedule_and_find_random", random, "ns"},
            {"find_random", find, "ns"},
            {"bytes_per_signal",
             static_cast<double>(tree.memory()) / static_cast<double>(std::bit_ceil(count)), "B"}};
}

const registration registered{
    {"contracts-many", "weft", [](const request&) -> std::vector<contestant> {
         constexpr std::size_t count = 1'000'000;
         return {{{{"contracts", static_cast<std::int64_t>(count)}}, {}, [] {
                      return measure(count);
                  }}};
     }}};

} // namespace
} // namespace bench::contracts
