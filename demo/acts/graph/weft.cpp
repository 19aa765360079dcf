#include "acts/graph/acts.hpp"
#include "acts/graph/runs.hpp"

#include <weft/future.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>

#include <latch>
#include <string>
#include <vector>

namespace weft::demo::graph {
namespace {

weft::graph build(frame& played) {
    weft::graph made;
    std::vector<graph_node<void>> nodes;
    for (std::size_t number = 0; number != played.nodes().size(); ++number) {
        nodes.push_back(
            made.add(played.nodes()[number].name, [&played, number] { played.run_node(number); }));
        for (const std::size_t each : played.nodes()[number].before)
            nodes.back().after(nodes[each]);
    }
    return made;
}

/// The end of a run begins the next one: no thread waits in between.
class repeater {
public:
    repeater(weft::graph& built, pool& workers, runs& all, std::latch& ended)
        : built_{built}, workers_{workers}, all_{all}, ended_{ended} {}
    void run() {
        built_.run(workers_).then([this](future<void> done) {
            done.get();
            if (all_.note_end()) run();
            else ended_.count_down();
        });
    }

private:
    weft::graph& built_;
    pool& workers_;
    runs& all_;
    std::latch& ended_;
};

/// The graph in the language DOT, with the mean time of each node.
std::string drawing_with_times(const settings& settings, frame& played, pool& workers) {
    weft::graph measured = build(played);
    measured.measure();
    for (int left = settings.choose(1'000, 50); left != 0; --left) measured.run(workers).get();
    return measured.to_dot();
}

} // namespace

outcome with_weft(const settings& settings) {
    frame played;
    runs all{settings, for_all_runs};
    std::latch ended{1};
    weft::graph built = build(played);
    pool workers{settings.threads};
    repeater again{built, workers, all, ended};
    all.begin();
    again.run();
    ended.wait();
    outcome result = all.close(played);
    result.drawing = drawing_with_times(settings, played, workers);
    return result;
}

} // namespace weft::demo::graph
