// A Petri net of one's own: jobs that may fail, and are tried again at most twice. It is run, and
// then all its markings are searched: is every job finished or given up in the end, whatever
// happens?
#include <weft/lab.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <tuple>

namespace {

using namespace weft::petri;

// [colour]
/// A colour: it can be copied, compared and hashed (by `fields`).
struct job {
    int number = 0;
    int attempts = 0;

    [[nodiscard]] auto fields() const { return std::tie(number, attempts); }
    friend bool operator==(const job&, const job&) = default;
};
// [/colour]

// [net]
constexpr int most_attempts = 3;

struct office {
    net plan;
    place<job> waiting = plan.add_place<job>("waiting", {{.number = 1}, {.number = 2}});
    place<job> running = plan.add_place<job>("running");
    place<job> finished = plan.add_place<job>("finished");
    place<job> given_up = plan.add_place<job>("given up");
    place<token> workers = plan.add_place("idle workers", 1); // plain tokens

    office() {
        const auto tried = [](job each) { return job{each.number, each.attempts + 1}; };
        const auto last = [](const job& each) { return each.attempts == most_attempts; };
        plan.add_transition("start").take(waiting).take(workers).put(running, tried);
        plan.add_transition("finish").take(running).put(finished, std::identity{}).put(workers);
        plan.add_transition("try again")
            .take(running)
            .when(std::not_fn(last))
            .put(waiting, std::identity{})
            .put(workers);
        plan.add_transition("give up")
            .take(running)
            .when(last)
            .put(given_up, std::identity{})
            .put(workers);
    }
};
// [/net]

} // namespace

int main() {
    office model;

    // [run]
    simulation run{model.plan, 7}; // the seed
    run.run(100);
    std::cout << write_trace(run.taken());
    // [/run]

    // [search]
    space_options options;
    options.properties.push_back({"one job at a time", [&](const marking_view& now) {
                                      return now.count(model.running) <= 1;
                                  }});
    const state_space all = explore(model.plan, options);
    if (!all.complete()) {
        std::cout << all.reason() << '\n';
        return EXIT_FAILURE;
    }
    const report result = analyse(all);
    std::cout << result.markings << " markings, " << result.dead_markings.size()
              << " of them an end\n";
    bool right = result.acyclic;
    for (const std::uint32_t number : result.dead_markings) {
        const marking end = all.marking_at(number);
        const marking_view view{model.plan, end};
        right = right && view.count(model.finished) + view.count(model.given_up) == 2;
    }
    // [/search]
    std::cout << (right ? "every job ends\n" : "a job is lost\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
