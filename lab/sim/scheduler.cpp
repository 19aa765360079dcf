#include "sim/scheduler.hpp"

#include "balance/plan.hpp"
#include "sim/machine.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <stdexcept>
#include <utility>

namespace weft::sim {

namespace {

constexpr std::array names{
    std::pair{policy::random_one, std::string_view{"random"}},
    std::pair{policy::random_half, std::string_view{"half"}},
    std::pair{policy::richest, std::string_view{"richest"}},
    std::pair{policy::single, std::string_view{"single"}},
    std::pair{policy::partial, std::string_view{"partial"}},
    std::pair{policy::multi_steal, std::string_view{"mss"}},
    std::pair{policy::frozen, std::string_view{"freeze"}},
    std::pair{policy::hybrid, std::string_view{"hybrid"}},
};

constexpr std::array policies{policy::random_one, policy::random_half, policy::richest,
                              policy::single,     policy::partial,     policy::multi_steal,
                              policy::frozen,     policy::hybrid};

} // namespace

std::string_view name_of(policy which) {
    return std::ranges::find(names, which, &std::pair<policy, std::string_view>::first)->second;
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

metrics simulate(const load& what, std::size_t cores, policy how, std::uint64_t seed,
                 const costs& prices) {
    if (cores == 0) throw std::invalid_argument{"a simulation needs a core"};
    return machine{what, cores, how, seed, prices}.run();
}

time greedy_makespan(const load& what, std::size_t cores) {
    std::vector<task> ready;
    for (std::size_t core = 0; core != cores; ++core) {
        for (const task& each : what.first_tasks(core, cores)) ready.push_back(each);
    }
    using ending = std::pair<time, std::uint64_t>;
    std::priority_queue<ending, std::vector<ending>, std::greater<>>
        running; // when, and which of `started`
    std::vector<task> started;
    std::vector<task> made;
    time now = 0;
    while (!ready.empty() || !running.empty()) {
        for (; !ready.empty() && running.size() != cores; ready.pop_back()) {
            running.emplace(now + what.length(ready.back()), started.size());
            started.push_back(ready.back());
        }
        const auto [end, which] = running.top();
        running.pop();
        now = end;
        what.children(started[which], made);
        ready.insert(ready.end(), made.begin(), made.end());
    }
    return now;
}

} // namespace weft::sim
