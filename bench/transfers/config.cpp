#include "transfers/config.hpp"

namespace bench::transfers {

std::uint64_t turns_for(std::int64_t nanoseconds) {
    static const double turns_per_ns = [] {
        constexpr std::uint64_t turns = 2'000'000;
        double best = 0;
        for (int i = 0; i != 5; ++i) {
            const stopwatch watch;
            compute(turns, 1);
            best = std::max(best, static_cast<double>(turns) / (watch.seconds() * 1e9));
        }
        return best;
    }();
    return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * turns_per_ns);
}

job_list::job_list(const setting& chosen, std::size_t count)
    : setting_{chosen}, count_{count}, turns_{turns_for(chosen.body_ns)},
      wanted_(count * chosen.wanted) {
    std::mt19937_64 random{42};
    std::vector<double> up_to; // shares of the accounts up to each
    double whole = 0;
    for (std::size_t i = 0; chosen.zipf && i != chosen.accounts; ++i) {
        up_to.push_back(whole += 1.0 / static_cast<double>(i + 1));
    }
    std::uniform_real_distribution<double> share{0, whole > 0 ? whole : 1};
    const auto pick = [&]() -> std::uint32_t {
        if (!chosen.zipf) return static_cast<std::uint32_t>(random() % chosen.accounts);
        const auto found = std::ranges::lower_bound(up_to, share(random));
        const auto place = static_cast<std::size_t>(found - up_to.begin());
        // Those that are wanted most are not neighbours.
        return static_cast<std::uint32_t>(std::min(place, chosen.accounts - 1) * 7'919 %
                                          chosen.accounts);
    };
    for (std::size_t job = 0; job != count; ++job) {
        const auto accounts = std::span{wanted_}.subspan(job * chosen.wanted, chosen.wanted);
        for (std::size_t i = 0; i != accounts.size();) {
            accounts[i] = pick();
            const auto before = accounts.first(i);
            if (std::ranges::find(before, accounts[i]) == before.end()) ++i;
        }
        std::ranges::sort(accounts);
        changes_ += reads(job) ? 0 : 1;
    }
}

std::vector<setting> settings(const request& request) {
    const std::vector<setting> usual{
        {2, 10, false, 50, 0},    {2, 1'000, false, 50, 0},    {2, 100'000, false, 50, 0},
        {2, 1'000, true, 50, 0},  {1, 1'000, false, 50, 0},    {4, 1'000, false, 50, 0},
        {2, 10, false, 2'000, 0}, {2, 1'000, false, 2'000, 0}, {2, 10, false, 2'000, 90},
    };
    std::vector<setting> all;
    for (const std::size_t wanted : {1, 2, 4}) {
        for (const std::int64_t body : {50, 2'000}) {
            for (const std::int64_t readers : {0, 90}) {
                for (const std::size_t accounts : {10, 1'000, 100'000}) {
                    all.push_back({wanted, accounts, false, body, readers});
                }
                all.push_back({wanted, 1'000, true, body, readers});
            }
        }
    }
    return request.choose(usual, all);
}

std::shared_ptr<const job_list> jobs_for(const setting& chosen, bool full) {
    static std::map<std::pair<setting, bool>, std::shared_ptr<const job_list>> made;
    auto& found = made[{chosen, full}];
    const std::size_t small = chosen.body_ns < 1'000 ? 200'000 : 20'000;
    if (!found) found = std::make_shared<const job_list>(chosen, full ? 5 * small : small);
    return found;
}

} // namespace bench::transfers
