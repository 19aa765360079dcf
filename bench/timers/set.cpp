// A sorted set, as many event loops have it: only moving, since it has no threads.
#include "timers/config.hpp"

#include <set>

namespace bench::timers {
namespace {

struct sorted_set {
    using entry = std::pair<clock::time_point, std::uint32_t>;
    template <class Time>
    static double move_each(const moves& all, std::size_t live, Time time) {
        std::set<entry> timers;
        std::vector<std::set<entry>::iterator> place;
        for (std::size_t i = 0; i != live; ++i) {
            place.push_back(timers.emplace(all.first(i), static_cast<std::uint32_t>(i)).first);
        }
        const auto start = clock::now();
        for (std::size_t i = 0; i != move_count; ++i) {
            const std::uint32_t chosen = all.index[i];
            timers.erase(place[chosen]);
            place[chosen] = timers.emplace(time(i), chosen).first;
        }
        return since(start, move_count);
    }
    static double move(const moves& all, std::size_t live) {
        return move_each(all, live, [&](std::size_t i) { return all.deadline[i]; });
    }
    static double move_after(const moves& all, std::size_t live) {
        const auto begin = clock::now();
        return move_each(all, live,
                         [&](std::size_t i) { return clock::now() + (all.deadline[i] - begin); });
    }
};

const registration registered{{"timers", "std-set", contestants<sorted_set>}};

} // namespace
} // namespace bench::timers
