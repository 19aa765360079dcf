#include "models/builtin.hpp"
#include <weft/lab/analysis.hpp>
#include <weft/lab/pnml.hpp>
#include <weft/lab/simulation.hpp>
#include <weft/lab/state_space.hpp>
#include <weft/lab/web_page.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace weft::petri {
namespace {

std::string text_of_file(net& n) { return n.is_plain() ? write_pnml(n) : write_pnml_tables(n); }

/// One small net of each family.
std::vector<std::string> small_nets() {
    return {"mss:2x2x2:2",
            "mss:2x2x2:3",
            "mss-shape:3x3x3:2",
            "mss-concurrent:2x2x2:2",
            "mss-fibonacci:4:2",
            "mss-search:6:2",
            "mss-hanoi:2:2",
            "philosophers:3",
            "token-ring:3",
            "peterson:1",
            "kanban:1",
            "resources",
            "sleep",
            "contract",
            "termination"};
}

TEST(tables, there_is_a_small_net_of_every_family) {
    for (const models::builtin_name& each : models::builtin_names()) {
        const std::string family = each.pattern.substr(0, each.pattern.find(':'));
        bool found = false;
        for (const std::string& name : small_nets())
            found = found || name.substr(0, name.find(':')) == family;
        EXPECT_TRUE(found) << family;
    }
}

TEST(tables, every_builtin_net_is_read_back_as_it_was_written) {
    for (const std::string& name : small_nets()) {
        net n = *models::builtin(name);
        const std::string text = text_of_file(n);
        net again = read_pnml(text);
        // The PNML of plain nets is read with reading arcs last.
        if (!n.is_plain()) {
            EXPECT_EQ(text_of_file(again), text) << name;
        }
        EXPECT_EQ(again.name(), name);
        EXPECT_EQ(again.marking_text(again.initial()), n.marking_text(n.initial())) << name;
        const auto one = explore(n);
        const auto other = explore(again);
        EXPECT_EQ(one.markings(), other.markings()) << name;
        EXPECT_EQ(one.arcs(), other.arcs()) << name;
        EXPECT_EQ(analyse(one).dead_markings, analyse(other).dead_markings) << name;
        EXPECT_EQ(analyse(one).place_bounds, analyse(other).place_bounds) << name;
    }
}

TEST(tables, what_is_read_back_has_the_same_page) {
    for (const std::string& name : small_nets()) {
        net n = *models::builtin(name);
        net again = read_pnml(text_of_file(n));
        EXPECT_EQ(web_page(again), web_page(n)) << name;
    }
}

TEST(tables, runs_of_one_are_runs_of_the_other) {
    for (const std::string& name : small_nets()) {
        net n = *models::builtin(name);
        net again = read_pnml(text_of_file(n));
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            simulation run{n, seed};
            run.run(60);
            simulation other{again};
            other.replay(run.taken());
            EXPECT_EQ(again.marking_text(other.now()), n.marking_text(run.now())) << name;
            EXPECT_EQ(other.taken(), run.taken()) << name;
            simulation chosen{again, seed};
            chosen.run(60);
            EXPECT_EQ(chosen.taken(), run.taken()) << name;
        }
        simulation together{n, 2};
        together.run(40, true, step_rule::a_priori);
        simulation others{again, 2};
        others.run(40, true, step_rule::a_priori);
        EXPECT_EQ(others.taken(), together.taken()) << name;
    }
}

struct card {
    int rank = 0;
    std::string suit;

    [[nodiscard]] auto fields() const { return std::tie(rank, suit); }
    [[nodiscard]] std::string text() const { return "<" + suit + " & \"" + std::to_string(rank); }
    friend bool operator==(const card&, const card&) = default;
};

/// Every kind of arc, a transition that never fires, and values with equal texts.
net all_kinds() {
    net n;
    n.set_name("all kinds");
    const auto hand = n.add_place<card>("hand", {{1, "a"}, {1, "a"}, {2, "b"}, {3, "a"}});
    const auto table = n.add_place<card>("table");
    const auto sums = n.add_place<int>("sums", {0});
    const auto turns = n.add_place("turns", 3);
    const auto over = n.add_place("over");
    n.draw_place(hand.index, {12.5, 40});
    const auto lower = [](const card& each) { return card{each.rank - 1, each.suit}; };
    n.add_transition("play")
        .take(hand)
        .take(turns)
        .inhibit(table, 3)
        .inhibit(table, [](const card& there, const card& own) { return there.rank > own.rank; })
        .put(table, std::identity{});
    n.add_transition("answer")
        .take(turns, 2)
        .read(table)
        .when([](const card& each) { return each.rank > 1; })
        .take(hand, lower)
        .take(sums)
        .put(sums, [](const card& each, int sum) { return sum + each.rank; })
        .put(table, [&](const card& each, int) { return std::vector<card>(2, lower(each)); })
        .put(over);
    n.add_transition("bonus")
        .read(over)
        .read(sums, [] { return 2; })
        .inhibit(turns)
        .take(over)
        .put(sums, []() -> std::optional<int> { return std::nullopt; });
    n.add_transition("never").take(turns).when([] { return false; }).put(over);
    n.add_transition("rest").take(turns).inhibit(sums, 2).read(turns, 2).put(over);
    return n;
}

TEST(tables, have_every_kind_of_arc) {
    net n = all_kinds();
    const auto one = explore(n, {.most_markings = 1000});
    ASSERT_TRUE(one.complete()) << one.reason();
    const std::string text = write_pnml_tables(n);
    net again = read_pnml(text);
    EXPECT_EQ(write_pnml_tables(again), text);
    const auto other = explore(again);
    EXPECT_EQ(one.markings(), other.markings());
    EXPECT_EQ(one.arcs(), other.arcs());
    EXPECT_EQ(web_page(again), web_page(n));
    for (const char* type : {"variable", "variable-read", "table", "table-read", "table-inhibitor",
                             "inhibitor", "read"}) {
        EXPECT_NE(text.find("<type value=\"" + std::string{type} + "\" />"), std::string::npos)
            << type;
    }
    EXPECT_EQ(analyse(one).dead_transitions, analyse(other).dead_transitions);
    EXPECT_FALSE(analyse(one).dead_transitions.empty());
}

TEST(tables, nets_with_too_many_markings_are_refused) {
    net n = *models::builtin("mss:4x5x6:3");
    try {
        static_cast<void>(write_pnml_tables(n, 1000));
        ADD_FAILURE() << "written";
    } catch (const error& wrong) {
        EXPECT_EQ(wrong.code(), fault::bad_net);
        EXPECT_EQ(std::string{wrong.what()},
                  "the functions of 'mss:4x5x6:3' are written as tables over all of its markings, "
                  "but there are too many: more than 1000 markings");
    }
}

/// A file of two places, a transition and these modes and arcs; its lines 7 and 8.
std::string tables_file(const std::string& modes, const std::string& arcs) {
    return "<pnml><net id=\"n\" type=\"urn:weft:pnml:tables:1\">\n"
           "<values><value text=\"a\"/><value text=\"b\"/></values>\n"
           "<page id=\"g\"><place id=\"p\"><type><text>values</text></type>\n"
           "<initialTokens><text>0 1*2</text></initialTokens></place>\n"
           "<place id=\"q\"><initialMarking><text>4</text></initialMarking></place>\n"
           "<transition id=\"t\">\n" +
           modes + "</transition>\n" + arcs + "</page></net></pnml>\n";
}

std::string fault_in(const std::string& text) {
    try {
        static_cast<void>(read_pnml(text));
    } catch (const error& wrong) {
        EXPECT_EQ(wrong.code(), fault::bad_file);
        return wrong.what();
    }
    return "nothing";
}

const std::string takes =
    "<arc id=\"1\" source=\"p\" target=\"t\"><type value=\"variable\"/></arc>";
const std::string puts = "<arc id=\"2\" source=\"t\" target=\"p\"><type value=\"table\"/></arc>";

TEST(tables, a_good_file_is_run) {
    net n =
        read_pnml(tables_file("<modes><mode>0 | 1</mode><mode>1 | </mode></modes>", takes + puts));
    EXPECT_EQ(n.marking_text(n.initial()), "p: a + 2`b; q: 4");
    // An a becomes a b, and a b is gone.
    const state_space all = explore(n);
    EXPECT_EQ(all.markings(), 7U);
    EXPECT_EQ(analyse(all).dead_markings.size(), 1U);
}

TEST(tables, files_that_contradict_themselves_name_the_line) {
    const std::string good = "<modes><mode>0 | 1</mode></modes>";
    const auto reading = [](const std::string& modes, const std::string& arcs) {
        return fault_in(tables_file(modes, arcs));
    };
    EXPECT_EQ(reading(good, takes + puts), "nothing");
    EXPECT_EQ(reading("", takes), "line 6: the transition has no 'modes'");
    EXPECT_EQ(reading("<modes><mode>0</mode></modes>", takes + puts),
              "line 7: the mode has 0 fields, but there are 1 arcs with tables");
    EXPECT_EQ(reading("<modes><mode>0 1 | 1</mode></modes>", takes + puts),
              "line 7: the mode has 2 values, but there are 1 variables");
    EXPECT_EQ(reading("<modes><mode>2 | 1</mode></modes>", takes + puts),
              "line 7: '2' is not a value of this net");
    EXPECT_EQ(reading("<modes><mode>0*2 | 1</mode></modes>", takes + puts),
              "line 7: '0*2' is not a value of this net");
    for (const char* wrong : {"7", "x", "1*0", "1*", "*2", "-1", "1*9999999999"}) {
        EXPECT_EQ(
            reading("<modes><mode>0 | " + std::string{wrong} + "</mode></modes>", takes + puts),
            "line 7: '" + std::string{wrong} + "' is not a token of this net");
    }
    EXPECT_EQ(reading("<modes><mode>0 | 1</mode><mode>0 | 0</mode></modes>", takes + puts),
              "line 7: there are two modes with these values");
    const std::string taken_first =
        "<arc id=\"2\" source=\"p\" target=\"t\"><type value=\"table\"/></arc>";
    EXPECT_EQ(reading("<modes><mode>0 | 1</mode><mode>1 | 0</mode></modes>", taken_first + takes),
              "line 8: the modes contradict each other at this arc");
}

TEST(tables, files_with_wrong_arcs_name_the_line) {
    const std::string good = "<modes><mode>0 | 1</mode></modes>";
    const auto arc = [&](const std::string& attributes, const std::string& inside) {
        return fault_in(tables_file(good, takes + puts + "\n<arc id=\"3\" " + attributes + ">" +
                                              inside + "</arc>"));
    };
    EXPECT_EQ(arc("source=\"q\" target=\"t\"", "<type value=\"variable\"/>"),
              "line 9: the type 'variable' does not fit the tokens of 'q'");
    EXPECT_EQ(arc("source=\"p\" target=\"t\"", ""),
              "line 9: the type '' does not fit the tokens of 'p'");
    EXPECT_EQ(arc("source=\"q\" target=\"t\"", "<type value=\"strange\"/>"),
              "line 9: an arc from a place cannot be of type 'strange'");
    EXPECT_EQ(arc("source=\"t\" target=\"p\"", "<type value=\"variable\"/>"),
              "line 9: an arc from a transition cannot be of type 'variable'");
    EXPECT_EQ(arc("source=\"p\" target=\"q\"", ""),
              "line 9: the arc does not connect a place and a transition");
    EXPECT_EQ(arc("source=\"p\"", ""), "line 9: 'arc' has no 'target'");
    EXPECT_EQ(arc("source=\"p\" target=\"t\"", "<type value=\"variable\"/><inscription>"
                                               "<text>2</text></inscription>"),
              "line 9: an arc of type 'variable' has no inscription");
    EXPECT_EQ(arc("source=\"p\" target=\"t\"", "<inscription><text>0</text></inscription>"),
              "line 9: '0' is not a number from 1 to 2147483648");
}

TEST(tables, files_with_wrong_nodes_name_the_line) {
    const auto with = [](const std::string& inside) {
        return fault_in("<pnml><net id=\"n\" type=\"urn:weft:pnml:tables:1\"><page id=\"g\">\n" +
                        inside + "</page></net></pnml>");
    };
    EXPECT_EQ(with("<place id=\"p\"/>"), "nothing");
    EXPECT_EQ(with("<place id=\"p\"/>\n<place id=\"p\"/>"), "line 3: the id 'p' is used twice");
    EXPECT_EQ(with("<place/>"), "line 2: 'place' has no 'id'");
    EXPECT_EQ(with("<place id=\"p\"/><place id=\"q\">\n<name><text>p</text></name></place>"),
              "line 2: there are two places 'p'");
    EXPECT_EQ(with("<referencePlace id=\"r\" ref=\"p\"/>"),
              "line 2: nets of tables have no references");
    EXPECT_EQ(with("<place id=\"p\"><type><text>values</text></type><initialTokens>\n"
                   "<text>0*2147483648 0*2147483648</text></initialTokens></place></page>\n"
                   "<values><value text=\"a\"/></values><page id=\"h\">"),
              "line 2: more than 4294967295 equal tokens in a place");
    EXPECT_EQ(with("<place id=\"p\"><type><text>values</text></type>\n"
                   "<initialTokens><text>0</text></initialTokens></place>"),
              "line 2: '0' is not a token of this net");
}

} // namespace
} // namespace weft::petri
