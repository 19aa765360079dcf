import shutil
import unittest

from planted import REPOSITORY, PlantedTree

BAD = "int good();\nint  bad( );\n"
GOOD = "int good();\nint bad();\n"


class FormatTest(PlantedTree):
    check = "format"

    def setUp(self):
        super().setUp()
        shutil.copy(REPOSITORY / ".clang-format", self.root)

    def test_without_the_tool_it_says_what_to_install(self):
        run = self.run_check(env={"PATH": ""})
        self.assertEqual(run.returncode, 2)
        self.assertIn("the Debian package clang-format-19", run.stderr)

    @unittest.skipUnless(shutil.which("clang-format-19"), "needs clang-format-19")
    def test_a_formatted_tree_passes(self):
        self.plant("src/a.cpp", GOOD)
        self.plant("include/weft/a.hpp", "#pragma once\n")
        self.plant("notes.md", "int  bad( );\n")
        self.passes("format: 2 files, no violation")

    @unittest.skipUnless(shutil.which("clang-format-19"), "needs clang-format-19")
    def test_the_first_difference_of_each_file(self):
        self.plant("src/a.cpp", BAD)
        self.plant("include/threadpool.h", "int  bad( );\nint  bad( );\n")
        self.fails("include/threadpool.h:1: not formatted", "src/a.cpp:2: not formatted")

    @unittest.skipUnless(shutil.which("clang-format-19"), "needs clang-format-19")
    def test_fix_rewrites(self):
        self.plant("src/a.cpp", BAD)
        self.passes("format: 1 files, no violation", "--fix")
        self.assertEqual((self.root / "src/a.cpp").read_text(), GOOD)


if __name__ == "__main__":
    unittest.main()
