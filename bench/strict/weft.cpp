#include "runner/weft_stage.hpp"
#include "strict/config.hpp"

#include <weft/task_group.hpp>

#include <array>
#include <numeric>

namespace bench::strict {
namespace {

struct with_forks : weft_stage {
    using weft_stage::weft_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        const auto [own, away] = weft::fork_join(here, forked);
        return own + away;
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        return fork_sum(0, count, body);
    }
};

struct with_futures : weft_stage {
    using weft_stage::weft_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        auto away = pool().submit([&forked] { return forked(); });
        const auto own = here();
        return own + away.get();
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        std::array<weft::future<std::int64_t>, nqueens::most_rows> results;
        for (int each = 0; each != count; ++each) {
            results[static_cast<std::size_t>(each)] =
                pool().submit([&body, each] { return body(each); });
        }
        std::int64_t total = 0;
        for (int each = 0; each != count; ++each) {
            total += results[static_cast<std::size_t>(each)].get();
        }
        return total;
    }
};

struct with_groups : weft_stage {
    using weft_stage::weft_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        auto away = decltype(forked()){};
        weft::task_group group{pool()};
        group.submit([&] { away = forked(); });
        const auto own = here();
        group.wait();
        return own + away;
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        std::array<std::int64_t, nqueens::most_rows> found{};
        weft::task_group group{pool()};
        for (int each = 0; each != count; ++each) {
            std::int64_t& result = found[static_cast<std::size_t>(each)];
            group.submit([&result, &body, each] { result = body(each); });
        }
        group.wait();
        return std::accumulate(found.begin(), found.begin() + count, std::int64_t{0});
    }
};

const registration forks{{"strict", "weft", contestants<with_forks>}};
const registration futures{{"strict", "weft-futures", contestants<with_futures>}};
const registration groups{{"strict", "weft-group", contestants<with_groups>}};

} // namespace
} // namespace bench::strict
