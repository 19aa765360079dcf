#include "models/protocols.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft::models {

using petri::net;
using petri::place;
using petri::token;

namespace {

std::string numbered(std::string name, std::uint32_t number) {
    return name += std::to_string(number + 1);
}

using queue = std::vector<std::uint32_t>;
using queues = std::vector<place<queue>>;

/// Takes the queues and puts them back, changed by `change`.
template <class Builder, class Change>
void change_queues(const Builder& built, const queues& changed, Change change) {
    const auto taken = built.take_each(changed);
    for (std::size_t each = 0; each != changed.size(); ++each) {
        taken.put(changed[each], [each, change](const auto& all) { return change(all[each]); });
    }
}

struct task_places {
    place<token> waiting, entered, running, done;
};

void add_entering(net& made, const std::string& name, std::uint32_t task, const task_places& places,
                  const queues& needed, entering mode) {
    const auto append = [task](queue all) {
        all.push_back(task);
        return all;
    };
    if (mode == entering::together || needed.empty()) {
        change_queues(made.add_transition("enter " + name).take(places.waiting).put(places.entered),
                      needed, append);
        return;
    }
    // A token for each queue that the task has not entered yet.
    const auto missing = made.add_place("missing " + name);
    const auto inside = made.add_place("inside " + name);
    const auto count = static_cast<std::uint32_t>(needed.size());
    made.add_transition("begin " + name).take(places.waiting).put(missing, count);
    for (std::size_t each = 0; each != needed.size(); ++each) {
        const auto once = made.add_place("once " + name + "." + std::to_string(each), 1);
        change_queues(made.add_transition("enter " + name + "." + std::to_string(each))
                          .take(missing)
                          .take(once)
                          .put(inside),
                      {needed[each]}, append);
    }
    made.add_transition("entered " + name).take(inside, count).put(places.entered);
}

void add_task(net& made, std::uint32_t task, const queues& needed, entering mode) {
    const std::string name = numbered("T", task);
    const task_places places{made.add_place("waiting " + name, 1),
                             made.add_place("entered " + name), made.add_place("running " + name),
                             made.add_place("done " + name)};
    add_entering(made, name, task, places, needed, mode);
    made.add_transition("start " + name)
        .take(places.entered)
        .read_each(needed)
        .when([task](const auto& all) {
            for (std::size_t each = 0; each != all.size(); ++each) {
                if (all[each].front() != task) return false;
            }
            return true;
        })
        .put(places.running);
    change_queues(made.add_transition("end " + name).take(places.running).put(places.done), needed,
                  [](queue all) {
                      all.erase(all.begin());
                      return all;
                  });
}

/// The places of the sleep protocol.
struct sleep_places {
    explicit sleep_places(net& owner, std::uint32_t workers, std::uint32_t tasks)
        : to_publish{owner.add_place("to publish", tasks)}, published{owner.add_place("published")},
          work{owner.add_place("work")}, searching{owner.add_place("searching", workers)},
          gives_up{owner.add_place("gives up")}, announced{owner.add_place("announced")},
          parked{owner.add_place("parked")}, found{owner.add_place("found")},
          busy{owner.add_place("busy")} {}

    place<token> to_publish, published, work, searching, gives_up, announced, parked, found, busy;
};

/// Moves a token from `source` to `target`, and wakes a worker that has announced its sleep or is
/// parked if no worker is searching. The other three transitions are the cases in which no worker
/// needs to be woken.
void add_notify(net& made, const sleep_places& places, const std::string& name, place<token> source,
                place<token> target, bool needs_work) {
    const auto begin = [&](const std::string& outcome) {
        return made.add_transition(name + ": " + outcome).take(source).put(target);
    };
    begin("a worker searches").read(places.searching);
    begin("a worker gives up").read(places.gives_up);
    begin("no worker sleeps")
        .inhibit(places.searching)
        .inhibit(places.gives_up)
        .inhibit(places.announced)
        .inhibit(places.parked);
    for (const auto& [state, sleeper] :
         {std::pair{"announced", places.announced}, std::pair{"parked", places.parked}}) {
        const auto wakes = begin(std::string{"wakes one "} + state)
                               .inhibit(places.searching)
                               .inhibit(places.gives_up);
        wakes.take(sleeper).put(places.searching);
        if (needs_work) wakes.read(places.work);
    }
}

} // namespace

net resource_queues(const std::vector<std::uint32_t>& needs, std::uint32_t resources,
                    entering mode) {
    net made;
    queues all;
    for (std::uint32_t each = 0; each != resources; ++each) {
        all.push_back(made.add_place<queue>(numbered("Q", each), {queue{}}));
    }
    for (std::uint32_t task = 0; task != needs.size(); ++task) {
        queues needed;
        for (std::uint32_t each = 0; each != resources; ++each) {
            if ((needs[task] >> each & 1U) != 0) needed.push_back(all[each]);
        }
        add_task(made, task, needed, mode);
    }
    return made;
}

net resource_example() { return resource_queues({0b011, 0b110, 0b101}, 3); }

net sleep_protocol(std::uint32_t workers, std::uint32_t tasks, bool second_look) {
    net made;
    const sleep_places places{made, workers, tasks};
    const auto rest = made.add_place("notified");
    made.add_transition("publish").take(places.to_publish).put(places.published).put(places.work);
    add_notify(made, places, "notify", places.published, rest, false);
    made.add_transition("take").take(places.searching).take(places.work).put(places.found);
    // The last searching worker checks for more work, and wakes another worker for it.
    add_notify(made, places, "found", places.found, places.busy, true);
    made.add_transition("found: no more work")
        .take(places.found)
        .inhibit(places.work)
        .put(places.busy);
    made.add_transition("finish").take(places.busy).put(places.searching);
    made.add_transition("find nothing")
        .take(places.searching)
        .inhibit(places.work)
        .put(places.gives_up);
    made.add_transition("announce sleep").take(places.gives_up).put(places.announced);
    if (second_look) {
        made.add_transition("look again: work")
            .take(places.announced)
            .read(places.work)
            .put(places.searching);
        made.add_transition("look again: none")
            .take(places.announced)
            .inhibit(places.work)
            .put(places.parked);
    } else {
        made.add_transition("park").take(places.announced).put(places.parked);
    }
    return made;
}

net sleep_and_wake() { return sleep_protocol(2, 3); }

net contract(std::uint32_t signals, bool cleared_at_claim) {
    net made;
    const auto to_signal = made.add_place("to signal", signals);
    const auto alive = made.add_place("alive", 1);
    const auto pending = made.add_place("pending");
    const auto unseen = made.add_place("unseen");
    const auto idle = made.add_place("idle", 1);
    const auto running = made.add_place("running");
    const auto releasing = made.add_place("releasing");
    const auto released = made.add_place("released");
    // A signal writes its data and then sets the mark, unless it is set already.
    made.add_transition("signal").take(to_signal).read(alive).inhibit(pending).put(pending).put(
        unseen);
    made.add_transition("signal again").take(to_signal).read(alive).read(pending).put(unseen);
    made.add_transition("signal in vain").take(to_signal).inhibit(alive);
    // A run sees all data that was written before it begins.
    const auto reading = made.add_place("reading");
    const auto seen = made.add_place("seen");
    const auto claim = made.add_transition("claim").take(idle).put(reading);
    if (cleared_at_claim) claim.take(pending);
    else claim.read(pending);
    made.add_transition("see").take(unseen).read(reading).put(seen);
    made.add_transition("see no more").take(reading).inhibit(unseen).put(running);
    const auto end = made.add_transition("end").take(running).put(idle);
    if (!cleared_at_claim) end.take(pending);
    made.add_transition("release").take(alive).put(releasing);
    made.add_transition("callback").take(releasing).take(idle).inhibit(pending).put(released);
    return made;
}

net contract_states() { return contract(3); }

namespace {

/// Of one rank. Its stage is the number of cuts that it has had.
struct rank_places {
    rank_places(net& owner, const std::string& name, bool busy_at_first)
        : busy{owner.add_place("busy " + name, busy_at_first ? 1 : 0)},
          passive{owner.add_place("passive " + name, busy_at_first ? 0 : 1)},
          underway{owner.add_place("underway to " + name)},
          stages{owner.add_place("no cut " + name, 1), owner.add_place("one cut " + name),
                 owner.add_place("two cuts " + name)} {}

    place<token> busy, passive, underway;
    std::array<place<token>, 3> stages;
};

/// The counts of both rounds.
struct round_places {
    explicit round_places(net& owner)
        : sent{owner.add_place("sent")}, received{owner.add_place("received")},
          cut{owner.add_place("cut")}, second{owner.add_place("second round")},
          cut_again{owner.add_place("cut again")}, finished{owner.add_place("finished")} {}

    place<token> sent, received, cut, second, cut_again, finished;
};

void add_messages(net& made, const std::vector<rank_places>& ranks, const round_places& counts,
                  place<token> to_send, std::size_t counted_stages) {
    for (std::size_t source = 0; source != ranks.size(); ++source) {
        const rank_places& own = ranks[source];
        const std::string name = numbered("R", static_cast<std::uint32_t>(source));
        made.add_transition("rest " + name).take(own.busy).put(own.passive);
        for (std::size_t stage = 0; stage != own.stages.size(); ++stage) {
            const std::string when = name + " after " + std::to_string(stage);
            for (std::size_t target = 0; target != ranks.size(); ++target) {
                if (target == source) continue;
                const auto send =
                    made.add_transition("send " + when + " to " + std::to_string(target + 1))
                        .take(to_send)
                        .read(own.busy)
                        .read(own.stages.at(stage))
                        .put(ranks[target].underway);
                if (stage < counted_stages) send.put(counts.sent);
            }
            for (const auto& [state, before] :
                 {std::pair{"busy ", own.busy}, std::pair{"passive ", own.passive}}) {
                const auto receive = made.add_transition(std::string{"receive "} + state + when)
                                         .take(own.underway)
                                         .take(before)
                                         .read(own.stages.at(stage))
                                         .put(own.busy);
                if (stage == 0) receive.put(counts.received);
            }
        }
    }
}

} // namespace

net termination(std::uint32_t ranks, std::uint32_t messages, bool two_rounds) {
    net made;
    const auto to_send = made.add_place("to send", messages);
    std::vector<rank_places> all;
    for (std::uint32_t each = 0; each != ranks; ++each) {
        all.emplace_back(made, numbered("R", each), each == 0);
    }
    const round_places counts{made};
    add_messages(made, all, counts, to_send, two_rounds ? 2 : 1);
    for (std::uint32_t each = 0; each != ranks; ++each) {
        const rank_places& own = all[each];
        made.add_transition(numbered("cut R", each))
            .take(own.stages[0])
            .read(own.passive)
            .put(own.stages[1])
            .put(counts.cut);
        made.add_transition(numbered("cut again R", each))
            .take(counts.second)
            .take(own.stages[1])
            .put(own.stages[2])
            .put(counts.cut_again);
    }
    // The second round begins when the first has ended.
    made.add_transition("next round").take(counts.cut, ranks).put(counts.second, ranks);
    made.add_transition("compare")
        .take(counts.sent)
        .take(counts.received)
        .read(counts.cut_again, ranks);
    made.add_transition("finish")
        .take(counts.cut_again, ranks)
        .inhibit(counts.sent)
        .inhibit(counts.received)
        .put(counts.finished);
    return made;
}

net termination_of_ranks() { return termination(3, 3); }

} // namespace weft::models
