import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml

from planted import REPOSITORY, PlantedTree

DOXYFILE = """INPUT = include
FILE_PATTERNS = *.hpp
QUIET = YES
HAVE_DOT = NO
EXCLUDE_SYMBOLS = *::detail *::detail::*
WARN_AS_ERROR = FAIL_ON_WARNINGS
WARN_FORMAT = "$file:$line: $text"
GENERATE_LATEX = NO
"""
DOCUMENTED = """/// A library.
namespace some {
/// What it does.
struct thing {
    /// How.
    void act();
};
namespace detail {
struct inside {};
}
}
"""


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
class ReferenceTest(PlantedTree):
    check = "reference"

    def setUp(self):
        super().setUp()
        self.plant("docs/Doxyfile", DOXYFILE)

    def test_what_is_documented_passes_and_can_be_read(self):
        self.plant("include/thing.hpp", DOCUMENTED)
        run = self.run_check("--output", self.root / "made")
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertRegex(run.stdout, r"^reference: \d+ pages, no violation\n$")
        self.assertIn("How.", (self.root / "made/html/structsome_1_1thing.html").read_text())

    def test_what_is_not_documented(self):
        self.plant("include/thing.hpp", DOCUMENTED.replace("    /// How.\n", ""))
        self.fails("include/thing.hpp:5: Member act() (function) of struct some::thing is not documented.")

    def test_a_reference_to_nothing(self):
        self.plant("include/thing.hpp", DOCUMENTED.replace("How.", "As @ref nothing_at_all."))
        self.fails("include/thing.hpp:5: unable to resolve reference to 'nothing_at_all' for \\ref command…")

    def test_an_option_that_does_not_exist(self):
        self.plant("docs/Doxyfile", DOXYFILE + "NO_SUCH_OPTION = YES\n")
        self.plant("include/thing.hpp", DOCUMENTED)
        self.assertEqual(self.run_check().returncode, 1)

    def test_the_project_itself_asks_for_all_of_it(self):
        settings = (REPOSITORY / "docs/Doxyfile").read_text()
        for needed in (r"WARN_AS_ERROR\s*= FAIL_ON_WARNINGS", r"WARN_IF_UNDOCUMENTED\s*= YES",
                       r"EXTRACT_ALL\s*= NO"):
            self.assertRegex(settings, needed)

    def test_the_reference_of_the_project_has_names_of_all_kinds(self):
        self.root = REPOSITORY
        with tempfile.TemporaryDirectory() as output:
            self.assertEqual(self.run_check("--output", output).returncode, 0)
            names = {tag.findtext("name") for tag in xml.parse(f"{output}/names.xml").iter("compound")}
            members = {tag.findtext("name") for tag in xml.parse(f"{output}/names.xml").iter("member")}
        self.assertLessEqual({"weft::pool", "weft::future", "weft::explorer::atomic", "weft::pool_options"}, names)
        self.assertLessEqual({"fork_join", "when", "blocking", "usable_cpus", "thread_pool_new", "errc", "key_space"}, members)


if __name__ == "__main__":
    unittest.main()
