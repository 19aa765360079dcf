#include "models/classics.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace weft::models {

using petri::net;
using petri::place;
using petri::token;

namespace {

std::string numbered(const std::string& name, std::initializer_list<std::uint32_t> numbers) {
    std::string full = name;
    for (const std::uint32_t each : numbers) {
        full += '_';
        full += std::to_string(each);
    }
    return full;
}

/// Places with up to three numbers, made when they are first named.
class place_family {
public:
    place_family(net& of, std::string name) : net_{&of}, name_{std::move(name)} {}

    place<token> operator()(std::initializer_list<std::uint32_t> numbers,
                            std::uint32_t tokens = 0) {
        const auto [at, is_new] = made_.try_emplace(std::vector<std::uint32_t>{numbers});
        if (is_new) at->second = net_->add_place(numbered(name_, numbers), tokens);
        return at->second;
    }

private:
    net* net_;
    std::string name_;
    std::map<std::vector<std::uint32_t>, place<token>> made_;
};

struct peterson_places {
    explicit peterson_places(net& of)
        : idle{of, "Idle"}, wants{of, "WantSection"}, asks{of, "AskForSection"}, turn{of, "Turn"},
          test_turn{of, "TestTurn"}, begin_loop{of, "BeginLoop"}, test_identity{of, "TestIdentity"},
          test_alone{of, "TestAlone"}, end_loop{of, "IsEndLoop"}, end_turn{of, "EndTurn"},
          critical{of, "CS"} {}

    place_family idle, wants, asks, turn, test_turn, begin_loop, test_identity, test_alone,
        end_loop, end_turn, critical;
};

void add_round(net& made, peterson_places& at, std::uint32_t who, std::uint32_t round,
               std::uint32_t largest) {
    for (std::uint32_t last = 0; last <= largest; ++last) {
        made.add_transition(numbered("UpdateTurn", {who, last, round}))
            .take(at.asks({who, round}))
            .take(at.turn({round, last}))
            .put(at.test_turn({who, round}))
            .put(at.turn({round, who}));
        const bool mine = last == who;
        made.add_transition(numbered(mine ? "TurnEqual" : "TurnDiff", {who, last, round}))
            .take(at.test_turn({who, round}))
            .take(at.turn({round, last}))
            .put(at.turn({round, last}))
            .put(mine ? at.begin_loop({who, round, 0}) : at.end_turn({who, round}));
    }
    made.add_transition(numbered("EndLoop", {who, round}))
        .take(at.end_loop({who, round, largest}))
        .put(at.end_turn({who, round}));
    const bool last_round = round + 1 == largest;
    made.add_transition(numbered(last_round ? "AccessCS" : "ProgressTurn", {who, round}))
        .take(at.end_turn({who, round}))
        .put(last_round ? at.critical({who}) : at.asks({who, round + 1}));
}

void add_look_at_other(net& made, peterson_places& at, std::uint32_t who, std::uint32_t round,
                       std::uint32_t other, std::uint32_t largest) {
    const bool itself = other == who;
    made.add_transition(numbered("ContinueLoop", {who, other, round}))
        .take(at.begin_loop({who, round, other}))
        .put(at.test_identity({who, round, other}));
    made.add_transition(numbered(itself ? "Identity" : "NoIdentity", {who, other, round}))
        .take(at.test_identity({who, round, other}))
        .put(itself ? at.end_loop({who, round, other}) : at.test_alone({who, round, other}));
    if (other != largest) {
        made.add_transition(numbered("Loop", {who, other, round}))
            .take(at.end_loop({who, round, other}))
            .put(at.begin_loop({who, round, other + 1}));
    }
    if (itself) return;
    for (const std::uint32_t wants : {0U, 1U}) {
        made.add_transition(numbered(wants != 0 ? "NotAlone" : "Alone", {who, other, round}))
            .take(at.test_alone({who, round, other}))
            .take(at.wants({other, wants}))
            .put(at.wants({other, wants}))
            .put(wants != 0 ? at.test_turn({who, round}) : at.end_loop({who, round, other}));
    }
}

} // namespace

net philosophers(std::uint32_t count) {
    net made;
    made.set_name("philosophers:" + std::to_string(count));
    place_family think{made, "Think"};
    place_family fork{made, "Fork"};
    place_family has_left{made, "HasLeft"};
    place_family has_right{made, "HasRight"};
    place_family eat{made, "Eat"};
    for (std::uint32_t each = 0; each != count; ++each) {
        think({each}, 1);
        fork({each}, 1);
    }
    for (std::uint32_t who = 0; who != count; ++who) {
        const auto left = fork({who});
        const auto right = fork({(who + 1) % count});
        made.add_transition(numbered("TakeLeft", {who}))
            .take(think({who}))
            .take(left)
            .put(has_left({who}));
        made.add_transition(numbered("TakeRight", {who}))
            .take(think({who}))
            .take(right)
            .put(has_right({who}));
        made.add_transition(numbered("ThenRight", {who}))
            .take(has_left({who}))
            .take(right)
            .put(eat({who}));
        made.add_transition(numbered("ThenLeft", {who}))
            .take(has_right({who}))
            .take(left)
            .put(eat({who}));
        made.add_transition(numbered("PutDown", {who}))
            .take(eat({who}))
            .put(think({who}))
            .put(left)
            .put(right);
    }
    return made;
}

net token_ring(std::uint32_t largest) {
    using state = std::tuple<std::uint32_t, std::uint32_t>; // machine, value
    net made;
    made.set_name("token-ring:" + std::to_string(largest));
    const std::uint32_t machines = largest + 1;
    std::vector<state> start;
    for (std::uint32_t each = 0; each != machines; ++each) start.emplace_back(each, each);
    const auto states = made.add_place<state>("State", start);
    made.add_transition("MainProcess")
        .take(states)
        .when([](const state& own) { return std::get<0>(own) == 0; })
        .read(states, [largest](const state& own) { return state{largest, std::get<1>(own)}; })
        .put(states,
             [machines](const state& own) { return state{0, (std::get<1>(own) + 1) % machines}; });
    made.add_transition("OtherProcess")
        .take(states)
        .when([](const state& own) { return std::get<0>(own) != 0; })
        .read(states)
        .when([](const state& own, const state& before) {
            return std::get<0>(before) + 1 == std::get<0>(own) &&
                   std::get<1>(before) != std::get<1>(own);
        })
        .put(states, [](const state& own, const state& before) {
            return state{std::get<0>(own), std::get<1>(before)};
        });
    return made;
}

net peterson(std::uint32_t largest) {
    net made;
    made.set_name("peterson:" + std::to_string(largest));
    peterson_places at{made};
    for (std::uint32_t who = 0; who <= largest; ++who) {
        at.idle({who}, 1);
        at.wants({who, 0}, 1);
    }
    for (std::uint32_t round = 0; round != largest; ++round) at.turn({round, 0}, 1);
    for (std::uint32_t who = 0; who <= largest; ++who) {
        made.add_transition(numbered("Ask", {who}))
            .take(at.idle({who}))
            .take(at.wants({who, 0}))
            .put(at.wants({who, 1}))
            .put(at.asks({who, 0}));
        made.add_transition(numbered("BecomeIdle", {who}))
            .take(at.critical({who}))
            .take(at.wants({who, 1}))
            .put(at.wants({who, 0}))
            .put(at.idle({who}));
        for (std::uint32_t round = 0; round != largest; ++round) {
            add_round(made, at, who, round, largest);
            for (std::uint32_t other = 0; other <= largest; ++other) {
                add_look_at_other(made, at, who, round, other, largest);
            }
        }
    }
    return made;
}

net kanban(std::uint32_t cards) {
    net made;
    made.set_name("kanban:" + std::to_string(cards));
    struct cell {
        place<token> cards, working, again, ready;
    };
    std::vector<cell> cells;
    for (const std::uint32_t each : {1U, 2U, 3U, 4U}) {
        const cell one{
            made.add_place(numbered("P", {each}), cards), made.add_place(numbered("Pm", {each})),
            made.add_place(numbered("Pback", {each})), made.add_place(numbered("Pout", {each}))};
        made.add_transition(numbered("tredo", {each})).take(one.working).put(one.again);
        made.add_transition(numbered("tok", {each})).take(one.working).put(one.ready);
        made.add_transition(numbered("tback", {each})).take(one.again).put(one.working);
        cells.push_back(one);
    }
    made.add_transition("tin_1").take(cells[0].cards).put(cells[0].working);
    made.add_transition("tsynch_1_23")
        .take(cells[0].ready)
        .take(cells[1].cards)
        .take(cells[2].cards)
        .put(cells[0].cards)
        .put(cells[1].working)
        .put(cells[2].working);
    made.add_transition("tsynch_23_4")
        .take(cells[1].ready)
        .take(cells[2].ready)
        .take(cells[3].cards)
        .put(cells[1].cards)
        .put(cells[2].cards)
        .put(cells[3].working);
    made.add_transition("tout_4").take(cells[3].ready).put(cells[3].cards);
    return made;
}

} // namespace weft::models
