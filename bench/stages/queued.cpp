// Stages with queues, each of which pushes into the next: one worker at a time in the first and the
// last, any number in between.
#include "stages/config.hpp"

#include <weft/pool.hpp>
#include <weft/stage.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace bench::stages {
namespace {

using stage = weft::stage<std::int64_t>;

/// With several workers in the middle the end sees another order, so it only counts.
void run(weft::pool& pool, const problem& of, order_check& order) {
    weft::stage_group group{pool};
    const auto capacity = static_cast<std::size_t>(of.capacity);
    std::int64_t seen = 0;
    std::vector<std::unique_ptr<stage>> all;
    all.push_back(std::make_unique<stage>(group,
                                          weft::stage_options<std::int64_t>{.capacity = capacity},
                                          [&](std::int64_t) { order.see(seen++); }));
    for (std::int64_t i = 2; i < of.stages; ++i) {
        stage* next = all.back().get();
        all.push_back(std::make_unique<stage>(
            group,
            weft::stage_options<std::int64_t>{.capacity = capacity, .workers = pool.workers()},
            [next, body = of.body](std::int64_t item) {
                work(body);
                next->push(item);
            }));
    }
    // The source is a stage with one item, whose handler pushes some and itself again.
    stage* next = all.back().get();
    stage* self = nullptr;
    stage origin{group, {.capacity = 1}, [&](std::int64_t begin) {
                     const std::int64_t end = std::min(begin + of.capacity, of.items);
                     for (std::int64_t i = begin; i < end; ++i) next->push(i);
                     if (end < of.items) self->push(end);
                 }};
    self = &origin;
    origin.push(0);
    group.wait();
}

std::vector<contestant> contestants(const request& request) {
    const auto pool = std::make_shared<weft::pool>(request.threads);
    std::vector<contestant> made;
    for (const problem& each : problems(request)) {
        made.push_back(timed_items(
            each, [pool](const problem& of, order_check& order) { run(*pool, of, order); }));
    }
    return made;
}

const registration registered{{"stages", "weft-queues", contestants}};

} // namespace
} // namespace bench::stages
