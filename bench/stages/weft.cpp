// Pipelines.
#include "stages/config.hpp"

#include <weft/pipeline.hpp>
#include <weft/pool.hpp>

#include <memory>
#include <optional>

namespace bench::stages {
namespace {

/// A class with a name: that of a closure in `widen` would be twice as long with each part.
struct worked_part {
    std::int64_t body;
    std::int64_t operator()(std::int64_t i) const {
        work(body);
        return i;
    }
};

/// The pipeline with that many more parallel parts.
template <std::int64_t Parts, class Line>
auto widen(Line&& line, std::int64_t body) {
    if constexpr (Parts == 0) {
        return std::forward<Line>(line);
    } else {
        return widen<Parts - 1>(std::forward<Line>(line) | weft::parallel(worked_part{body}), body);
    }
}

template <std::int64_t Stages>
void run(weft::pool& pool, const problem& of, order_check& order) {
    const weft::pipeline_options options{.capacity = static_cast<std::size_t>(of.capacity)};
    std::int64_t next = 0;
    const auto last = of.items;
    if constexpr (Stages == 1) {
        auto alone = weft::source([&]() -> std::optional<std::int64_t> {
            if (next == last) return {};
            order.see(next);
            return next++;
        });
        std::move(alone).run(pool, options).get();
    } else {
        auto begin = weft::source([&]() -> std::optional<std::int64_t> {
            if (next == last) return {};
            return next++;
        });
        (widen<Stages - 2>(std::move(begin), of.body) |
         weft::ordered([&](std::int64_t i) { order.see(i); }))
            .run(pool, options)
            .get();
    }
}

std::vector<contestant> contestants(const request& request) {
    const auto pool = std::make_shared<weft::pool>(request.threads);
    std::vector<contestant> made;
    for (const problem& each : problems(request)) {
        made.push_back(timed_items(each, [pool](const problem& of, order_check& order) {
            if (of.stages == 1) run<1>(*pool, of, order);
            else if (of.stages == 3) run<3>(*pool, of, order);
            else run<16>(*pool, of, order);
        }));
    }
    return made;
}

const registration registered{{"stages", "weft", contestants}};

} // namespace
} // namespace bench::stages
