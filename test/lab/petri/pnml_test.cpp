#include <weft/lab/pnml.hpp>

#include "models/classics.hpp"
#include "support/scale.hpp"
#include <weft/detail/petri/random.hpp>
#include <weft/lab/analysis.hpp>
#include <weft/lab/simulation.hpp>
#include <weft/lab/state_space.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace weft::petri {
namespace {

const std::string head = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                         "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n";
const std::string foot = "</net></pnml>\n";

std::string message_of(const std::string& text) {
    try {
        static_cast<void>(read_pnml(text));
    } catch (const error& wrong) {
        EXPECT_EQ(wrong.code(), fault::bad_file);
        return wrong.what();
    }
    return "nothing";
}

TEST(pnml, what_is_written_is_read_back_as_the_same_net) {
    for (const auto make : {models::philosophers, models::peterson, models::kanban}) {
        net n = make(2);
        net again = read_pnml(write_pnml(n));
        EXPECT_EQ(again.name(), n.name());
        EXPECT_EQ(write_pnml(again), write_pnml(n));
        const auto one = explore(n);
        const auto other = explore(again);
        EXPECT_EQ(one.markings(), other.markings());
        EXPECT_EQ(one.arcs(), other.arcs());
    }
}

TEST(pnml, pages_references_weights_and_positions_are_read) {
    net n = read_pnml(head + R"(
      <name><text>a &lt;b&gt; &#x41;</text></name>
      <page id="g1"><place id="p"><name><text>in</text></name><initialMarking><text> 4 </text></initialMarking>
        <graphics><position x="10" y="2.5"/></graphics><toolspecific tool="x" version="1"><anything/></toolspecific></place>
        <page id="g2"><referencePlace id="r" ref="p"/><transition id="t"/><place id="q"/>
          <arc id="a1" source="r" target="t"><inscription><text>2</text></inscription></arc>
          <arc id="a2" source="t" target="q"/>
          <arc id="a3" source="q" target="t"><type value="inhibitor"/><inscription><text>2</text></inscription></arc>
        </page></page>)" +
                      foot);
    EXPECT_EQ(n.name(), "a <b> A");
    EXPECT_EQ(n.places()[0].drawn_at->y, 2.5);
    const auto all = explore(n);
    EXPECT_EQ(all.markings(), 3U);
    EXPECT_EQ(all.marking_at(2), (marking{0, 2}));
}

TEST(pnml, equal_names_are_distinguished_by_ids) {
    const net n = read_pnml(head + R"(<page id="g"><place id="a"><name><text>x</text></name></place>
        <place id="b"><name><text>x</text></name></place></page>)" +
                            foot);
    EXPECT_EQ(n.places()[0].name, "x");
    EXPECT_EQ(n.places()[1].name, "b");
}

TEST(pnml, errors_begin_with_their_line) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "line 1: there is no element"},
        {"<html/>", "line 1: 'html' is not 'pnml'"},
        {"<pnml>\n</pnml>", "line 1: there is no net"},
        {"<pnml>\n<net id='n' type='hlpn'/></pnml>",
         "line 2: nets of type 'hlpn' are not supported, only place/transition nets and tables"},
        {head + "<place/>" + foot, "line 3: 'place' has no 'id'"},
        {head + "<place id='a'/>\n<place id='a'/>" + foot, "line 4: the id 'a' is used twice"},
        {head + "<place id='a'>\n<initialMarking>\n<text>many</text></initialMarking></place>" +
             foot,
         "line 5: 'many' is not a number from 0 to 2147483648"},
        {head + "<place id='a'><initialMarking><text>99999999999</text></initialMarking></place>" +
             foot,
         "line 3: '99999999999' is not a number from 0 to 2147483648"},
        {head + "<arc id='x' source='a' target='b'/>" + foot,
         "line 3: there is no place or transition 'a'"},
        {head + "<place id='a'/><place id='b'/>\n<arc id='x' source='a' target='b'/>" + foot,
         "line 4: an arc connects two nodes of kind 'place'"},
        {head +
             "<place id='a'/><transition id='t'/><arc id='x' source='a' "
             "target='t'><inscription><text>0</text>"
             "</inscription></arc>" +
             foot,
         "line 3: '0' is not a number from 1 to 2147483648"},
        {head +
             "<referencePlace id='a' ref='b'/><referencePlace id='b' ref='a'/><transition id='t'/>"
             "<arc id='x' source='a' target='t'/>" +
             foot,
         "line 3: the references from 'a' form a cycle"},
        {head + "<page>\n<place id='a'>\n</page>" + foot, "line 5: Start-end tags mismatch"},
        {head + "<place id='a'", "line 3: Error parsing start element tag"},
        {head + "<place id=a/>" + foot, "line 3: Error parsing element attribute"},
        {head + "<place id='&nobody;'/>" + foot, "line 3: unknown entity 'nobody'"},
        {head + "<place id='&#0;'/>" + foot, "line 3: '#0' is not a character"},
        {"<!DOCTYPE x>\n<pnml/>", "line 1: document type declarations are not supported"},
        {head + foot + "<more/>", "line 4: unexpected content after the end of 'pnml'"},
        {head + foot + "more", "line 4: unexpected content after the end of 'pnml'"},
        {"more" + head + foot, "line 1: there is text before the first element"},
        {head + "<place id='a' id='b'/>" + foot, "line 3: the attribute 'id' occurs twice"},
        {head + "<place id='&#xD800;'/>" + foot, "line 3: '#xD800' is not a character"},
        {head + "<place id='a & b'/>" + foot, "line 3: an entity has no ';'"},
        {head + std::string(1, '\0') + foot, "line 3: the file contains a NUL byte"},
        {head + "<!-- no end", "line 3: Error parsing comment"},
    };
    for (const auto& [text, wanted] : cases) EXPECT_EQ(message_of(text), wanted) << text;
}

TEST(pnml, deep_nesting_is_refused) {
    std::string open = head;
    std::string close;
    for (int each = 0; each != 100'000; ++each) {
        open += "<page id='g'>";
        close += "</page>";
    }
    EXPECT_EQ(message_of(open), "line 3: elements are nested too deeply");
    EXPECT_EQ(message_of(open + close + foot), "line 3: elements are nested too deeply");
}

TEST(pnml, entities_are_not_looked_for_in_comments_and_cdata) {
    const net n = read_pnml(head +
                            "<?tool a & b?><!-- a & b --><page id='g'><place id='p'><name><text>"
                            "<![CDATA[a & b]]> &amp; c</text></name></place></page>" +
                            foot);
    EXPECT_EQ(n.places()[0].name, "a & b & c");
}

TEST(pnml, prefixes_of_namespaces_are_ignored) {
    const net n = read_pnml("<x:pnml xmlns:x='http://www.pnml.org/version-2009/grammar/pnml'>"
                            "<x:net id='n' type='ptnet'><x:place x:id='p'/></x:net></x:pnml>");
    EXPECT_EQ(n.places()[0].name, "p");
}

TEST(pnml, whatever_the_names_a_trace_can_be_replayed) {
    net n =
        read_pnml(head +
                  "<page id='g'><transition id='a'><name><text>send(ack) |\n  again</text></name>"
                  "</transition><transition id='#'/><transition id=' '/></page>" +
                  foot);
    EXPECT_EQ(n.transitions()[0].name, "send_ack_ _ again");
    simulation run{n, 1};
    run.run(5);
    run.run(5, true);
    const trace way = run.taken();
    simulation again{n, 2};
    again.replay(read_trace(write_trace(way)));
    EXPECT_EQ(again.taken(), way);
}

TEST(pnml, the_order_of_arcs_does_not_matter) {
    const std::string take = "<arc id='a' source='p' target='t'/>";
    for (const char* kind : {"read", "inhibitor"}) {
        const std::string look =
            std::string{"<arc id='b' source='p' target='t'><type value='"} + kind + "'/></arc>";
        for (const std::string& arcs : {take + look, look + take}) {
            net n = read_pnml(head +
                              "<page id='g'><place id='p'><initialMarking><text>1</text>"
                              "</initialMarking></place><transition id='t'/>" +
                              arcs + "</page>" + foot);
            EXPECT_EQ(explore(n).arcs(), 0U) << arcs;
        }
    }
}

TEST(pnml, a_net_with_colours_is_not_written) {
    const net n = models::token_ring(3);
    EXPECT_THROW(static_cast<void>(write_pnml(n)), error);
}

/// A file with bytes changed, taken out, put in or repeated.
std::string mutated(std::string text, random_source& random) {
    static const std::string pieces[] = {"<",    ">",          "/",          "\"",
                                         "&",    "'",          "<page id='", "</",
                                         "]]>",  "<![CDATA[",  "-1",         "99999999999999999999",
                                         "<!--", "&#x110000;", "\xFF",       std::string(1, '\0')};
    for (std::uint64_t changes = 1 + random.below(6); changes != 0 && !text.empty(); --changes) {
        const std::size_t position = random.below(text.size());
        const std::size_t length =
            random.below(std::min<std::size_t>(40, text.size() - position)) + 1;
        switch (random.below(5)) {
        case 0: text[position] = static_cast<char>(random.next()); break;
        case 1: text.erase(position, length); break;
        case 2: text.insert(position, pieces[random.below(std::size(pieces))]); break;
        case 3: text.insert(random.below(text.size()), text.substr(position, length)); break;
        default: text.resize(position); break;
        }
    }
    return text;
}

TEST(pnml, a_damaged_file_is_read_or_refused_with_a_line_and_never_more) {
    const std::string files[] = {
        write_pnml(models::philosophers(2)), write_pnml(models::kanban(1)),
        head +
            "<page id='g'><place id='p'/><referencePlace id='r' ref='p'/><transition id='t'/>"
            "<arc id='a' source='r' target='t'><type value='read'/></arc></page>" +
            foot};
    random_source random{20};
    std::size_t read = 0;
    std::size_t refused = 0;
    for (std::uint64_t round = 0; round != test::scaled(4'000, 400'000); ++round) {
        const std::string text = mutated(files[round % std::size(files)], random);
        try {
            net n = read_pnml(text);
            static_cast<void>(explore(n, {.most_markings = 100, .most_bytes = 1U << 22U}));
            ++read;
        } catch (const error& wrong) {
            const bool counts_too_far = wrong.code() == fault::overflow;
            EXPECT_TRUE(counts_too_far || wrong.code() == fault::bad_file);
            EXPECT_TRUE(counts_too_far || std::string{wrong.what()}.starts_with("line "))
                << wrong.what();
            ++refused;
        }
    }
    EXPECT_GT(read, 0U);
    EXPECT_GT(refused, 0U);
}

} // namespace
} // namespace weft::petri
