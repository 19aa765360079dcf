#include "runner/tbb_stage.hpp"
#include "strict/config.hpp"

#include <array>
#include <numeric>

namespace bench::strict {
namespace {

struct stage : tbb_stage {
    using tbb_stage::tbb_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        tbb::task_group group;
        auto away = decltype(forked()){};
        group.run([&] { away = forked(); });
        const auto own = here();
        group.wait();
        return away + own;
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        std::array<std::int64_t, nqueens::most_rows> found{};
        tbb::task_group group;
        for (int each = 0; each != count; ++each) {
            std::int64_t& result = found[static_cast<std::size_t>(each)];
            group.run([&result, &body, each] { result = body(each); });
        }
        group.wait();
        return std::accumulate(found.begin(), found.begin() + count, std::int64_t{0});
    }
};

const registration registered{{"strict", "tbb", contestants<stage>}};

} // namespace
} // namespace bench::strict
