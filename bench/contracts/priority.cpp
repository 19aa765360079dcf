// Priorities: how long a contract waits while thousands of low priority are always due, and which
// fraction of the runs each priority gets when contracts of all three are.
#include "contracts/config.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <array>

namespace bench::contracts {
namespace {

constexpr std::size_t others = 4096;

double part_of(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// The time from schedule to run of one contract, while contracts of low priority are always due.
std::vector<sample> wait_of(weft::priority level, std::size_t threads) {
    weft::pool workers{threads};
    std::atomic<bool> stop{false};
    weft::contract_group group{
        weft::contract_group_options{.pool = &workers, .at_end = weft::on_stop::cancel}};
    std::vector<weft::contract> busy;
    for (std::size_t i = 0; i < others; ++i) {
        busy.push_back(group.create(
            [&stop](weft::contract_token& token) {
                hash_task<64>();
                if (!stop.load(std::memory_order_relaxed)) token.schedule();
            },
            {.priority = weft::priority::low, .scheduled = true}));
    }
    std::atomic<clock::time_point> ran{};
    std::atomic<std::size_t> runs{0};
    const weft::contract some = group.create(
        [&] {
            ran = clock::now();
            ++runs;
        },
        {.priority = level});
    std::vector<double> waits;
    for (std::size_t i = 1; i <= 200; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds{300});
        const auto begin = clock::now();
        some.schedule();
        while (runs.load() < i) std::this_thread::sleep_for(std::chrono::microseconds{20});
        waits.push_back(std::chrono::duration<double, std::micro>(ran.load() - begin).count());
    }
    stop = true;
    return {{"wait_median", part_of(waits, 0.5), "us"}, {"wait_p99", part_of(waits, 0.99), "us"}};
}

/// The fraction of all runs that each priority gets, with contracts of each always due.
std::vector<sample> fractions(std::size_t threads) {
    weft::pool workers{threads};
    std::atomic<bool> stop{false};
    std::array<std::vector<record>, 3> runs;
    std::vector<weft::contract> all;
    {
        weft::contract_group group{
            weft::contract_group_options{.pool = &workers, .at_end = weft::on_stop::cancel}};
        for (std::size_t level = 0; level < runs.size(); ++level) {
            runs[level].resize(256);
            for (record& each : runs[level]) {
                all.push_back(group.create(
                    [&stop, &each](weft::contract_token& token) {
                        ++each.runs;
                        if (!stop.load(std::memory_order_relaxed)) token.schedule();
                    },
                    {.priority = static_cast<weft::priority>(level)}));
            }
        }
        for (const weft::contract& each : all) each.schedule();
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        stop = true;
    }
    std::array<double, 3> sums{};
    for (std::size_t level = 0; level < runs.size(); ++level) {
        for (const record& each : runs[level]) sums[level] += static_cast<double>(each.runs);
    }
    const double total = sums[0] + sums[1] + sums[2];
    return {{"share_high", sums[0] / total, ""},
            {"share_normal", sums[1] / total, ""},
            {"share_low", sums[2] / total, ""}};
}

const registration registered{
    {"contracts-priority", "weft", [](const request& request) -> std::vector<contestant> {
         const std::size_t threads = request.threads;
         return {
             {{{"priority", std::string{"low"}}},
              {},
              [threads] { return wait_of(weft::priority::low, threads); }},
             {{{"priority", std::string{"high"}}},
              {},
              [threads] { return wait_of(weft::priority::high, threads); }},
             {{{"priority", std::string{"all"}}}, {}, [threads] { return fractions(threads); }}};
     }}};

} // namespace
} // namespace bench::contracts
