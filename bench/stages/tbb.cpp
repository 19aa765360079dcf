// oneTBB: parallel_pipeline, and a flow graph with a limiter.
#include "runner/tbb_stage.hpp"
#include "stages/config.hpp"

#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>

#include <deque>
#include <memory>

namespace bench::stages {
namespace {

using item = std::int64_t;
using tbb::filter_mode;

void run_pipeline(tbb_stage& on, const problem& of, order_check& order) {
    on.run([&] {
        item next = 0;
        const auto tokens = static_cast<std::size_t>(of.capacity);
        if (of.stages == 1) {
            tbb::parallel_pipeline(tokens,
                                   tbb::make_filter<void, void>(filter_mode::serial_in_order,
                                                                [&](tbb::flow_control& control) {
                                                                    if (next == of.items)
                                                                        return control.stop();
                                                                    order.see(next++);
                                                                }));
            return;
        }
        auto chain = tbb::make_filter<void, item>(filter_mode::serial_in_order,
                                                  [&](tbb::flow_control& control) -> item {
                                                      if (next == of.items) {
                                                          control.stop();
                                                          return 0;
                                                      }
                                                      return next++;
                                                  });
        for (std::int64_t i = 2; i < of.stages; ++i) {
            chain = chain & tbb::make_filter<item, item>(filter_mode::parallel, [&of](item each) {
                        work(of.body);
                        return each;
                    });
        }
        tbb::parallel_pipeline(
            tokens, chain & tbb::make_filter<item, void>(filter_mode::serial_in_order,
                                                         [&](item each) { order.see(each); }));
    });
}

void run_graph(tbb_stage& on, const problem& of, order_check& order) {
    on.run([&] {
        using namespace tbb::flow;
        tbb::flow::graph all;
        item next = 0;
        input_node<item> begin{all, [&](tbb::flow_control& control) -> item {
                                   if (next == of.items) {
                                       control.stop();
                                       return 0;
                                   }
                                   return next++;
                               }};
        limiter_node<item> limit{all, static_cast<std::size_t>(of.capacity)};
        make_edge(begin, limit);
        std::deque<function_node<item, item>> middle;
        for (std::int64_t i = 2; i < of.stages; ++i) {
            middle.emplace_back(all, unlimited, [&of](item each) {
                work(of.body);
                return each;
            });
            if (middle.size() == 1) make_edge(limit, middle.back());
            else make_edge(middle[middle.size() - 2], middle.back());
        }
        sequencer_node<item> sorted{all, [](item each) { return static_cast<std::size_t>(each); }};
        function_node<item, continue_msg> end{all, serial, [&](item each) {
                                                  order.see(each);
                                                  return continue_msg{};
                                              }};
        if (middle.empty()) make_edge(limit, sorted);
        else make_edge(middle.back(), sorted);
        make_edge(sorted, end);
        make_edge(end, limit.decrementer());
        begin.activate();
        all.wait_for_all();
    });
}

template <class Run>
std::vector<contestant> contestants_of(const request& request, Run run) {
    const auto on = std::make_shared<tbb_stage>(request);
    std::vector<contestant> made;
    for (const problem& each : problems(request)) {
        made.push_back(timed_items(each, [on, run](const problem& of, order_check& order) {
            on->before();
            run(*on, of, order);
            on->after();
        }));
    }
    return made;
}

const registration pipeline{{"stages", "tbb-pipeline", [](const request& asked) {
                                 return contestants_of(asked, run_pipeline);
                             }}};
const registration graph{
    {"stages", "tbb-graph", [](const request& asked) { return contestants_of(asked, run_graph); }}};

} // namespace
} // namespace bench::stages
