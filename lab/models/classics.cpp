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

/// Places with up to three numbers, created on first use.
class place_family {
public:
    place_family(net& owner, std::string name) : net_{&owner}, name_{std::move(name)} {}

    place<token> operator()(std::initializer_list<std::uint32_t> numbers,
                            std::uint32_t tokens = 0) {
        const auto [found, is_new] = made_.try_emplace(std::vector<std::uint32_t>{numbers});
        if (is_new) found->second = net_->add_place(numbered(name_, numbers), tokens);
        return found->second;
    }

private:
    net* net_;
    std::string name_;
    std::map<std::vector<std::uint32_t>, place<token>> made_;
};

struct peterson_places {
    explicit peterson_places(net& owner)
        : idle{owner, "Idle"}, wants{owner, "WantSection"}, asks{owner, "AskForSection"},
          turn{owner, "Turn"}, test_turn{owner, "TestTurn"}, begin_loop{owner, "BeginLoop"},
          test_identity{owner, "TestIdentity"}, test_alone{owner, "TestAlone"},
          end_loop{owner, "IsEndLoop"}, end_turn{owner, "EndTurn"}, critical{owner, "CS"} {}

    place_family idle, wants, asks, turn, test_turn, begin_loop, test_identity, test_alone,
        end_loop, end_turn, critical;
};

void add_round(net& made, peterson_places& places, std::uint32_t process, std::uint32_t round,
               std::uint32_t largest) {
    for (std::uint32_t last = 0; last <= largest; ++last) {
        made.add_transition(numbered("UpdateTurn", {process, last, round}))
            .take(places.asks({process, round}))
            .take(places.turn({round, last}))
            .put(places.test_turn({process, round}))
            .put(places.turn({round, process}));
        const bool own_turn = last == process;
        made.add_transition(numbered(own_turn ? "TurnEqual" : "TurnDiff", {process, last, round}))
            .take(places.test_turn({process, round}))
            .take(places.turn({round, last}))
            .put(places.turn({round, last}))
            .put(own_turn ? places.begin_loop({process, round, 0})
                          : places.end_turn({process, round}));
    }
    made.add_transition(numbered("EndLoop", {process, round}))
        .take(places.end_loop({process, round, largest}))
        .put(places.end_turn({process, round}));
    const bool last_round = round + 1 == largest;
    made.add_transition(numbered(last_round ? "AccessCS" : "ProgressTurn", {process, round}))
        .take(places.end_turn({process, round}))
        .put(last_round ? places.critical({process}) : places.asks({process, round + 1}));
}

void add_look_at_other(net& made, peterson_places& places, std::uint32_t process,
                       std::uint32_t round, std::uint32_t peer, std::uint32_t largest) {
    const bool is_itself = peer == process;
    made.add_transition(numbered("ContinueLoop", {process, peer, round}))
        .take(places.begin_loop({process, round, peer}))
        .put(places.test_identity({process, round, peer}));
    made.add_transition(numbered(is_itself ? "Identity" : "NoIdentity", {process, peer, round}))
        .take(places.test_identity({process, round, peer}))
        .put(is_itself ? places.end_loop({process, round, peer})
                       : places.test_alone({process, round, peer}));
    if (peer != largest) {
        made.add_transition(numbered("Loop", {process, peer, round}))
            .take(places.end_loop({process, round, peer}))
            .put(places.begin_loop({process, round, peer + 1}));
    }
    if (is_itself) return;
    for (const std::uint32_t wants : {0U, 1U}) {
        made.add_transition(numbered(wants != 0 ? "NotAlone" : "Alone", {process, peer, round}))
            .take(places.test_alone({process, round, peer}))
            .take(places.wants({peer, wants}))
            .put(places.wants({peer, wants}))
            .put(wants != 0 ? places.test_turn({process, round})
                            : places.end_loop({process, round, peer}));
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
    for (std::uint32_t seat = 0; seat != count; ++seat) {
        const auto left = fork({seat});
        const auto right = fork({(seat + 1) % count});
        made.add_transition(numbered("TakeLeft", {seat}))
            .take(think({seat}))
            .take(left)
            .put(has_left({seat}));
        made.add_transition(numbered("TakeRight", {seat}))
            .take(think({seat}))
            .take(right)
            .put(has_right({seat}));
        made.add_transition(numbered("ThenRight", {seat}))
            .take(has_left({seat}))
            .take(right)
            .put(eat({seat}));
        made.add_transition(numbered("ThenLeft", {seat}))
            .take(has_right({seat}))
            .take(left)
            .put(eat({seat}));
        made.add_transition(numbered("PutDown", {seat}))
            .take(eat({seat}))
            .put(think({seat}))
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
    peterson_places places{made};
    for (std::uint32_t process = 0; process <= largest; ++process) {
        places.idle({process}, 1);
        places.wants({process, 0}, 1);
    }
    for (std::uint32_t round = 0; round != largest; ++round) places.turn({round, 0}, 1);
    for (std::uint32_t process = 0; process <= largest; ++process) {
        made.add_transition(numbered("Ask", {process}))
            .take(places.idle({process}))
            .take(places.wants({process, 0}))
            .put(places.wants({process, 1}))
            .put(places.asks({process, 0}));
        made.add_transition(numbered("BecomeIdle", {process}))
            .take(places.critical({process}))
            .take(places.wants({process, 1}))
            .put(places.wants({process, 0}))
            .put(places.idle({process}));
        for (std::uint32_t round = 0; round != largest; ++round) {
            add_round(made, places, process, round, largest);
            for (std::uint32_t peer = 0; peer <= largest; ++peer) {
                add_look_at_other(made, places, process, round, peer, largest);
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
        const cell station{
            made.add_place(numbered("P", {each}), cards), made.add_place(numbered("Pm", {each})),
            made.add_place(numbered("Pback", {each})), made.add_place(numbered("Pout", {each}))};
        made.add_transition(numbered("tredo", {each})).take(station.working).put(station.again);
        made.add_transition(numbered("tok", {each})).take(station.working).put(station.ready);
        made.add_transition(numbered("tback", {each})).take(station.again).put(station.working);
        cells.push_back(station);
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
