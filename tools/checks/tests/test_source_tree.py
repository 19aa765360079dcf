import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from planted import CHECKS, PlantedTree

sys.path.insert(0, str(CHECKS))
sys.dont_write_bytecode = True

from source_tree import Include, Source, files, resolve  # noqa: E402


class SourceTest(unittest.TestCase):
    def test_comments_and_literals_are_blank_in_the_code(self):
        source = Source('a(); // b\n/* c\nd */ e("f // g", \'"\'); h();\n')
        self.assertEqual(source.code.split(), ["a();", "e(", ",", ");", "h();"])
        self.assertEqual(source.comments.split(), ["//", "b", "/*", "c", "d", "*/"])

    def test_offsets_and_lines_are_those_of_the_text(self):
        text = '/* one\n two */ "x" three\nfour'
        source = Source(text)
        self.assertEqual(source.code.index("three"), text.index("three"))
        self.assertEqual(source.line(source.code.index("three")), 2)
        self.assertEqual(source.line(source.code.index("four")), 3)

    def test_raw_strings_end_at_their_own_mark(self):
        self.assertEqual(Source('a = R"x( " )" // )x"; b').code.split(), ["a", "=", ";", "b"])

    def test_a_digit_separator_opens_no_literal(self):
        self.assertEqual(Source("a = 1'000; b = 'c';").code.split(), ["a", "=", "1'000;", "b", "=", ";"])

    def test_a_line_comment_may_continue(self):
        self.assertEqual(Source("// a \\\n b\nc").code.split(), ["c"])

    def test_includes_in_comments_and_strings_do_not_count(self):
        source = Source('#include <a>\n// #include <b>\n  # include "c/d.hpp"\nR"(\n#include <e>\n)";')
        self.assertEqual(source.includes, [Include(1, "a", True), Include(3, "c/d.hpp", False)])


class TreeTest(PlantedTree):
    def test_built_files_are_left_out(self):
        for path in ("build/dev/a.cpp", "src/a.cpp", "src/build/b.cpp"):
            self.plant(path, "")
        self.assertEqual(files(self.root), ["src/a.cpp", "src/build/b.cpp"])

    def test_a_tree_that_is_no_checkout_leaves_out_what_a_checkout_ignores(self):
        for path in (".gitignore", ".ci/run", "a.cpp", "src/report.html", "report.html", "CMakeUserPresets.json",
                     ".cache/clangd/a.cpp", "tools/__pycache__/a.pyc"):
            self.plant(path, "")
        self.assertEqual(files(self.root), [".ci/run", ".gitignore", "a.cpp", "src/report.html"])

    def test_builds_are_not_entered_where_others_may_be_deleting(self):
        self.plant("a.cpp", "")
        self.plant("build/dev/a.cpp", "")
        entered, scandir = [], os.scandir
        def watched(folder):
            entered.append(os.path.relpath(folder, self.root))
            return scandir(folder)
        with mock.patch("os.scandir", watched):
            self.assertEqual(files(self.root), ["a.cpp"])
        self.assertEqual(entered, ["."])

    def test_a_checkout_without_git_is_read_as_a_folder(self):
        for path in ("a.cpp", ".git/HEAD", ".git/objects/a.cpp", "build/b.cpp"):
            self.plant(path, "")
        with mock.patch.dict(os.environ, PATH=str(self.root / "empty")):
            self.assertEqual(files(self.root), ["a.cpp"])

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_a_checkout_that_git_refuses_is_read_as_a_folder(self):
        self.plant("a.cpp", "")
        self.plant(".git", "gitdir: nowhere\n")
        self.assertEqual(files(self.root), ["a.cpp"])

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_a_checkout_lists_what_is_tracked_or_new_but_not_ignored(self):
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.plant(".gitignore", "*.o\n")
        for path in ("a.cpp", "b.o", "c.cpp"):
            self.plant(path, "")
        subprocess.run(["git", "-C", self.root, "add", "a.cpp", "c.cpp"], check=True)
        (self.root / "c.cpp").unlink()
        self.assertEqual(files(self.root), [".gitignore", "a.cpp"])

    def test_an_include_is_looked_up_beside_the_file_then_in_the_roots(self):
        for path in ("src/a/x.hpp", "src/b/x.hpp", "include/weft/y.hpp", "test/support/z.hpp"):
            self.plant(path, "")
        found = [resolve(self.root, *include) for include in (
            ("src/a/x.cpp", "x.hpp", False),
            ("src/a/x.cpp", "b/x.hpp", False),
            ("src/a/x.cpp", "../b/x.hpp", False),
            ("src/a/x.cpp", "weft/y.hpp", True),
            ("src/a/x.cpp", "x.hpp", True),
            ("src/a/x.cpp", "support/z.hpp", False),
            ("test/unit/z.cpp", "support/z.hpp", False),
        )]
        self.assertEqual(found, ["src/a/x.hpp", "src/b/x.hpp", "src/b/x.hpp", "include/weft/y.hpp",
                                 None, None, "test/support/z.hpp"])


if __name__ == "__main__":
    unittest.main()
