// A thread for each node, which waits for the nodes before it; made anew for each run.
#include "acts/graph/acts.hpp"
#include "acts/graph/runs.hpp"

#include <future>
#include <vector>

namespace weft::demo::graph {
namespace {

void run_with_futures(frame& played) {
    std::vector<std::shared_future<void>> ended(played.nodes().size());
    for (std::size_t number = 0; number != ended.size(); ++number) {
        std::vector<std::shared_future<void>> before;
        for (const std::size_t each : played.nodes()[number].before) before.push_back(ended[each]);
        ended[number] = std::async(std::launch::async, [&played, number, before] {
                            for (const auto& each : before) each.wait();
                            played.run_node(number);
                        }).share();
    }
    for (const auto& each : ended) each.get();
}

} // namespace

outcome with_async(const settings& settings) {
    frame played;
    return measure(settings, for_some_runs, played, [&] { run_with_futures(played); });
}

} // namespace weft::demo::graph
