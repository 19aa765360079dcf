import unittest

from planted import PlantedTree

FIRST = """// A first program.
#include <weft/weft.hpp>

// [DEQUE-1]
int main() {
    // [body]
    auto answer = 42;
    if (answer) {
        return 0;
    }
    // [/body]
}
"""
BODY = """auto answer = 42;
if (answer) {
    return 0;
}
"""


def quoted(marker, text, indent=""):
    lines = [f"<!-- quoted: {marker} -->", "```cpp", *text.splitlines(), "```"]
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


class LinksTest(PlantedTree):
    check = "documents"

    def test_good_links_pass(self):
        self.plant("docs/guide/one.md", "# One\n")
        self.plant("README.md", """# The Read me!
[a](docs/guide/one.md), [b](docs/guide/one.md#one "title"), [c](docs/guide/), [d](#the-read-me),
[![e](docs/p.png)](<docs/guide/one.md>), [f](/docs/p.png), [g][one], [one][], <https://example.org/x>,
[h](https://example.org/a_(b)?c=d#e), [i](mailto:x@example.org), [j](#read_me-and-more-1),
[k](#setext), [l](#here), [plain], `[x](nowhere)`, a footnote[^1]
## `read_me` and _more_
## [read_me](docs/p.png) *and* more
Setext
------
<a id="here"></a>
<!-- [x](nowhere) -->
```sh
[x](nowhere)
```
[one]: docs/guide/one.md
[^1]: A note.
""")
        self.plant("docs/p.png", "")
        self.passes("documents: 2 files, no violation")

    def test_links_that_lead_nowhere(self):
        self.plant("docs/one.md", "# One\n\n[a](two.md)\n![b](p.png)\n[c](../../x.md)\n[d]()\n\n[e]: f.md\n")
        self.fails("docs/one.md:3: two.md leads nowhere", "docs/one.md:4: p.png leads nowhere",
                   "docs/one.md:5: ../../x.md leads nowhere", "docs/one.md:6: an empty link leads nowhere",
                   "docs/one.md:8: f.md leads nowhere")

    def test_anchors_without_a_heading(self):
        self.plant("docs/one.md", "# One\n[a](#two)\n[b](../README.md#one)\n[c](x.cpp#one)\n```\n# Two\n```\n")
        self.plant("README.md", "# Read\n[one](docs/one.md)\n")
        self.plant("docs/x.cpp", "")
        self.fails("docs/one.md:2: docs/one.md has no heading #two",
                   "docs/one.md:3: README.md has no heading #one",
                   "docs/one.md:4: docs/x.cpp has no heading #one")

    def test_a_page_that_no_link_leads_to(self):
        self.plant("README.md", "# Read\n[one][]\n\n[one]: docs/one.md#one\n")
        self.plant("docs/one.md", "# One\n[two](more/two.md)\n")
        self.plant("docs/more/two.md", "# Two\n[self](two.md)\n")
        self.plant("docs/more/three.md", "# Three\n[back](../one.md)\n")
        self.plant("other.md", "# Not a page of docs\n")
        self.fails("docs/more/three.md:1: no link leads here from README.md")

    def test_a_reference_that_is_not_defined(self):
        self.plant("a.md", "[x][One]\n[y][two]\n[three][]\n\n[one]: a.md\n")
        self.fails("a.md:2: [two] is not defined", "a.md:3: [three] is not defined")

    def test_external_links_that_are_malformed(self):
        self.plant("a.md", "[a](https://)\n[b](htp://example.org)\n<https://exa mple.org>\n[d](http:/a.b)\n")
        self.fails("a.md:1: https:// is not a well-formed link",
                   "a.md:2: htp://example.org is not a well-formed link",
                   "a.md:3: https://exa mple.org is not a well-formed link",
                   "a.md:4: http:/a.b is not a well-formed link")


class QuotationsTest(PlantedTree):
    check = "documents"

    def setUp(self):
        super().setUp()
        self.plant("examples/first.cpp", FIRST)
        self.whole = FIRST.replace("    // [body]\n", "").replace("    // [/body]\n", "")

    def test_good_quotations_pass(self):
        self.plant("a.md", quoted("examples/first.cpp", self.whole) + "1. so:\n\n"
                   + quoted("examples/first.cpp#body", BODY, "   ") + "```sh\nls\n```\n")
        self.passes("documents: 1 files, no violation")

    def test_a_block_without_a_marker(self):
        self.plant("a.md", "Text\n```cpp\nint x;\n```\n\n```c\nint x;\n```\n")
        self.fails("a.md:2: no <!-- quoted: … --> above this block",
                   "a.md:6: no <!-- quoted: … --> above this block")

    def test_a_marker_without_a_block(self):
        self.plant("a.md", "<!-- quoted: examples/first.cpp -->\n\n```sh\nls\n```\n")
        self.fails("a.md:1: no block directly below this marker")

    def test_a_block_that_differs(self):
        self.plant("a.md", quoted("examples/first.cpp", self.whole + "int x;\n")
                   + quoted("examples/first.cpp#body", BODY.replace("42", "43")))
        self.fails("a.md:2: differs from examples/first.cpp",
                   "a.md:16: differs from examples/first.cpp#body")

    def test_what_cannot_be_quoted(self):
        self.plant("src/a.cpp", "")
        for marker, message in (("examples/none.cpp", "examples/none.cpp does not exist"),
                                ("src/a.cpp", "src/a.cpp is not below examples/ or test/"),
                                ("test/../src/a.cpp", "test/../src/a.cpp is not below examples/ or test/"),
                                ("examples/first.cpp#end", "examples/first.cpp needs one // [end] and …")):
            with self.subTest(marker=marker):
                self.plant("a.md", quoted(marker, ""))
                self.fails(f"a.md:1: {message}")

    def test_write_refreshes_every_block(self):
        def text(whole, body):
            return ("# A\n\n" + quoted("examples/first.cpp", whole) + "- item\n\n"
                    + quoted("examples/first.cpp#body", body, "  ") + "\nEnd.\n")
        self.plant("a.md", text("old\n", "old\nolder\n"))
        self.passes("documents: 1 files, no violation", "--write")
        self.assertEqual((self.root / "a.md").read_text(), text(self.whole, BODY))


LONG = "word " * 30  # 150 columns
KEPT = """# A heading that is far longer than the width of a hundred columns, which stays where it is, in a line of its own

| a table | with a cell that is far longer than the width of a hundred columns and is not to be wrapped at all |
|---|---|
| a | b |

A setext heading
----------------

```text
a block that is far longer than the width of a hundred columns, with   spaces that are meant as they are here
```

<!-- a comment that is
short -->
<p>
html
</p>

[name]: https://example.org/a/very/long/link/that/goes/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on
> a quotation
> in two lines

    indented code   as it is
    next line

A line that ends by intent,\\
and the next.
"""


class WidthTest(PlantedTree):
    check = "documents"

    def wrapped(self, text):
        self.plant("a.md", text)
        self.passes("documents: 1 files, no violation", "--wrap")
        self.passes("documents: 1 files, no violation", "--width")
        return (self.root / "a.md").read_text()

    def test_what_is_not_wrapped_at_the_width(self):
        self.plant("a.md", f"# A\n\nshort\nlines\n\n- {LONG}\n\nfine\n")
        run = self.run_check("--width")
        self.assertEqual(run.stdout.splitlines(), ["a.md:3: not wrapped at 100 columns; see --wrap",
                                                   "a.md:6: not wrapped at 100 columns; see --wrap"])

    def test_paragraphs_are_filled(self):
        made = self.wrapped(f"one\ntwo\n\n{LONG}\nend\n")
        self.assertEqual(made, "one two\n\n" + " ".join(["word"] * 20) + "\n" + " ".join(["word"] * 10) + " end\n")

    def test_list_items_keep_their_marks_and_indents(self):
        made = self.wrapped(f"- a\n  b\n- {LONG}\n  1. {LONG}\n\n     more\n     of it\n\n* last\none\n")
        lines = made.split("\n")
        self.assertEqual(lines[0], "- a b")
        self.assertTrue(lines[1].startswith("- word") and lines[2].startswith("  word"))
        self.assertTrue(lines[3].startswith("  1. word") and lines[4].startswith("     word"))
        self.assertEqual(lines[5:], ["", "     more of it", "", "* last one", ""])

    def test_what_is_no_prose_is_left_alone(self):
        self.assertEqual(self.wrapped(KEPT), KEPT)

    def test_code_and_links_are_not_broken_and_no_line_starts_a_list_by_accident(self):
        filler = "x" * 93
        for unbroken in ("`some code here`", "[text](a.md \"some title\")"):
            with self.subTest(unbroken=unbroken):
                made = self.wrapped(f"{filler} {unbroken} end\n").split("\n")
                self.assertTrue(any(unbroken in line for line in made), made)
        for word in ("-", "1.", "#", "+", ">"):
            with self.subTest(word=word):
                self.assertEqual(self.wrapped(f"{'x' * 99} {word} end\n"), f"{'x' * 99} {word}\nend\n")

    def test_a_word_longer_than_the_line(self):
        self.assertEqual(self.wrapped(f"a {'x' * 120} b\n"), f"a\n{'x' * 120}\nb\n")


if __name__ == "__main__":
    unittest.main()
