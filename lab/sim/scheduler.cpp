#include "sim/scheduler.hpp"

#include "sim/machine.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <stdexcept>
#include <utility>

namespace weft::sim {

namespace {

constexpr std::array names{
    std::pair{policy::random, std::string_view{"random"}},
    std::pair{policy::half, std::string_view{"half"}},
    std::pair{policy::richest, std::string_view{"richest"}},
    std::pair{policy::single, std::string_view{"single"}},
    std::pair{policy::partial, std::string_view{"partial"}},
    std::pair{policy::mss, std::string_view{"mss"}},
    std::pair{policy::frozen, std::string_view{"frozen"}},
    std::pair{policy::multi, std::string_view{"multi"}},
};

constexpr std::array policies{policy::random,  policy::half, policy::richest, policy::single,
                              policy::partial, policy::mss,  policy::frozen,  policy::multi};

} // namespace

std::string_view name_of(policy value) {
    return std::ranges::find(names, value, &std::pair<policy, std::string_view>::first)->second;
}

std::span<const policy> all_policies() { return policies; }

policy read_policy(std::string_view name) {
    const auto* found =
        std::ranges::find(names, name, &std::pair<policy, std::string_view>::second);
    if (found != names.end()) return found->first;
    std::string known;
    for (const auto& [each, text] : names) {
        known += ' ';
        known += text;
    }
    throw std::invalid_argument{"there is no policy '" + std::string{name} + "'; there are" +
                                known};
}

metrics simulate(const load& workload, std::size_t cores, policy stealing, std::uint64_t seed,
                 const costs& prices) {
    if (cores == 0) throw std::invalid_argument{"a simulation needs at least one core"};
    return machine{workload, cores, stealing, seed, prices}.run();
}

time greedy_makespan(const load& workload, std::size_t cores) {
    std::vector<task> ready;
    for (std::size_t core = 0; core != cores; ++core) {
        for (const task& each : workload.first_tasks(core, cores)) ready.push_back(each);
    }
    using ending = std::pair<time, std::uint64_t>;
    std::priority_queue<ending, std::vector<ending>, std::greater<>>
        running; // its end, and its index in `started`
    std::vector<task> started;
    std::vector<task> made;
    time now = 0;
    while (!ready.empty() || !running.empty()) {
        for (; !ready.empty() && running.size() != cores; ready.pop_back()) {
            running.emplace(now + workload.length(ready.back()), started.size());
            started.push_back(ready.back());
        }
        const auto [end, index] = running.top();
        running.pop();
        now = end;
        workload.children(started[index], made);
        ready.insert(ready.end(), made.begin(), made.end());
    }
    return now;
}

} // namespace weft::sim
