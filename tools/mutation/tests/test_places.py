import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import places


@unittest.skipIf(places.MISSING, places.MISSING)
class PlacesTest(unittest.TestCase):
    def places(self, body, head="void f(int a, int b, bool c)", before="void g(int); int h(); int x;"):
        self.text = f"{before}\n{head} {{ {body} }}\n"
        self.found = places.find("a.cpp", self.text)
        for number, place in enumerate(self.found, 1):
            place.number = number
        return [place.change for place in self.found]

    def mutated(self):
        """The mutated line, with M1 where the switch of mutant 1 is."""
        text = places.mutate(self.text, self.found)
        self.assertEqual(text.count("\n"), self.text.count("\n"))
        return re.sub(r"::weft_mutant::active\((\d+)\)", r"M\1", text).split("{ ", 1)[1].rsplit(" }", 1)[0]

    def test_a_call_is_skipped_and_a_statement_deleted(self):
        self.assertEqual(self.places("g(a); x = a; ++x;"),
                         ["call skipped: g(a)", "statement deleted: x = a", "statement deleted: ++x"])
        self.assertEqual(self.mutated(), "if (M1) {} else g(a); if (M2) {} else x = a; if (M3) {} else ++x;")

    def test_a_declaration_stays(self):
        self.assertEqual(self.places("int y = h(); (void)y;"), [])

    def test_a_condition_is_negated_and_an_else_stays_where_it_is(self):
        self.assertEqual(self.places("if (c) g(1); else g(2);"),
                         ["condition negated: c", "call skipped: g(1)", "call skipped: g(2)"])
        self.assertEqual(self.mutated(), "if ((M1 != static_cast<bool>(c))) if (M2) {} else g(1); else if (M3) {} else g(2);")

    def test_conditions_of_loops_and_choices(self):
        self.assertEqual(self.places("while (c) {} for (int i = 0; c; ++i) {} do {} while (c); x = c ? 1 : 2;"),
                         ["condition negated: c"] * 3 + ["statement deleted: x = c ? 1 : 2", "condition negated: c"])

    def test_a_condition_that_declares(self):
        self.assertEqual(self.places("if (int y = h()) {}"), ["condition negated: int y = h()"])
        self.assertEqual(self.mutated(), "if (int y = h(); M1 != static_cast<bool>(y)) {}")
        self.assertEqual(self.places("if (int y = h(); y == 2) {}"), ["condition negated: y == 2"])

    def test_a_bound_is_inside_the_condition(self):
        self.assertEqual(self.places("if (a < b) {}"), ["condition negated: a < b", "bound off by one: a < b"])
        self.assertEqual(self.mutated(), "if ((M1 != static_cast<bool>((M2 ? (a <= b) : (a < b))))) {}")

    def test_each_bound(self):
        for sign, other in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")):
            self.places(f"c = a {sign} b;")
            self.assertIn(f"(M2 ? (a {other} b) : (a {sign} b))", self.mutated())

    def test_one_more_or_less(self):
        self.assertEqual(self.places("g(a + 1);"), ["call skipped: g(a + 1)", "bound off by one: a + 1"])
        self.assertEqual(self.mutated(), "if (M1) {} else g(a + (M2 ? 0 : 1));")
        self.assertEqual(self.places("g(a + 2);"), ["call skipped: g(a + 2)"])

    def test_operands_of_a_chain_are_ignored(self):
        self.assertEqual(self.places("return a == 1 || b == 1 || c;", "bool f(int a, int b, bool c)"),
                         ["return flipped: a == 1 || b == 1 || c", "operand ignored: a == 1", "operand ignored: b == 1",
                          "operand ignored: c"])
        self.assertEqual(self.mutated(), "return (M1 != static_cast<bool>((!M2 && static_cast<bool>(a == 1)) || "
                                         "(!M3 && static_cast<bool>(b == 1)) || (!M4 && static_cast<bool>(c))));")
        self.assertEqual(self.places("return c && a;", "bool f(int a, bool c)")[1:],
                         ["operand ignored: c", "operand ignored: a"])
        self.assertIn("(M2 || static_cast<bool>(c)) && (M3 || static_cast<bool>(a))", self.mutated())

    def test_returns(self):
        self.assertEqual(self.places("return true;", "bool f()"), ["return flipped: true"])
        self.assertEqual(self.places("return 1;", "int f()"), [])
        self.assertEqual(self.places("if (c) return 1; return 2;", "int f(bool c)"),
                         ["condition negated: c", "statement deleted: return 1"])
        self.assertEqual(self.places("if (c) return 1; else return 2;", "int f(bool c)"), ["condition negated: c"])
        self.assertEqual(self.places("if (c) { g(1); return 1; } return 2;", "int f(bool c)")[2:],
                         ["statement deleted: return 1"])

    def test_templates(self):
        head = "template <class T> bool f(T t)"
        self.assertEqual(self.places("t.go(); return t.done();", head),
                         ["call skipped: t.go()", "return flipped: t.done()"])
        self.assertEqual(self.places("t.x = 1; if (t.x < t.y) t.go();", head),
                         ["statement deleted: t.x = 1", "condition negated: t.x < t.y", "bound off by one: t.x < t.y",
                          "call skipped: t.go()"])

    def test_inside_a_lambda(self):
        self.assertEqual(self.places("auto l = [&] { g(1); return a < 1; }; l();"),
                         ["call skipped: g(1)", "return flipped: a < 1", "bound off by one: a < 1", "call skipped: l()"])

    def test_what_the_compiler_computes_and_assertions_stay(self):
        self.assertEqual(self.places("static_assert(1 < 2); constexpr bool d = 1 < 2; if constexpr (1 < 2) WEFT_CHECK(a < b);",
                                     before="#define WEFT_CHECK(x) (x ? void() : void())"), [])

    def test_hints_stay(self):
        self.assertEqual(self.places("sync::pause(); sync::yield(); sync::prefetch(&a);",
                                     before="namespace sync { void pause(); void yield(); void prefetch(int*); }"), [])

    def test_breaks_at_the_end_of_a_switch_stay(self):
        self.assertEqual(self.places("switch (a) { case 1: g(1); break; case 2: g(2); break; }"),
                         ["call skipped: g(1)", "statement deleted: break", "call skipped: g(2)"])
        self.assertEqual(self.places("switch (a) { case 1: g(1); break; case 2: break; default: break; }"),
                         ["call skipped: g(1)"])
        self.assertEqual(self.places("switch (a) { case 1: { g(1); break; } }"), ["call skipped: g(1)"])
        self.assertEqual(self.places("while (c) { switch (a) { case 1: g(1); } break; }"),
                         ["condition negated: c", "call skipped: g(1)", "statement deleted: break"])

    def test_several_lines_and_comments(self):
        self.places("if (a < // why\n b) g(\n1);")
        self.assertIn("(M2 ? (a <= b) : (a < // why\n b))", self.mutated())

    def test_characters_of_several_bytes(self):
        self.assertEqual(self.places('/* „é“ */ g(a); /* é */ g(b);'), ["call skipped: g(a)", "call skipped: g(b)"])
        self.assertEqual(self.mutated(), "/* „é“ */ if (M1) {} else g(a); /* é */ if (M2) {} else g(b);")

    def test_the_function_is_named(self):
        before = "namespace n { struct s { template <class T> struct t { void f(); }; }; }\nvoid g(int);"
        self.places("g(1);", "template <class T> void n::s::t<T>::f()", before)
        self.assertEqual([(place.function, place.line) for place in self.found], [("s::t::f", 3)])


if __name__ == "__main__":
    unittest.main()
