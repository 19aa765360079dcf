import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOOLS / "mutation"))
sys.dont_write_bytecode = True

import programs
from outcomes import Outcomes
from places import Place
from programs import Copy, Program, Test


def load_tool():
    loader = importlib.machinery.SourceFileLoader("mutate", str(TOOLS / "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return module


tool = load_tool()


def place(path="src/pool/a.cpp", line=1, code="g()", text="g();", function="f", number=0):
    first = text.index(code)
    return Place(path, line, line, first, first + len(code), function, "call skipped", code,
                 lambda number, render: f"if (on({number})) {{}} else {code}  // ::weft_mutant::active({number})", number)


class CopyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.copy = Path(folder.name) / "root", Path(folder.name) / "copy"
        self.copy.mkdir(parents=True)

    def plant(self, *names):
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text("g();")
        return list(names)

    def names(self):
        return sorted(str(file.relative_to(self.copy)) for file in self.copy.rglob("*") if file.is_file())

    def test_only_the_tests_of_the_part_are_copied(self):
        names = self.plant("src/pool/a.cpp", "src/lab.cpp", "test/unit/pool/a_test.cpp", "test/unit/resource/b_test.cpp",
                           "test/support/prelude.cpp", "test/lab/c_test.cpp", "test/unit/resource/b.hpp",
                           "test/conform/capi/d.c")
        copy = Copy(self.root, self.copy, names, [place()])
        copy.write()
        self.assertEqual(copy.kinds, ["unit"])
        self.assertEqual(self.names(), sorted(["include/weft/mutant_switch.hpp", "src/pool/a.cpp", "src/lab.cpp",
                                               "test/unit/pool/a_test.cpp", "test/unit/mutant_recorder.cpp",
                                               "test/support/prelude.cpp", "test/unit/resource/b.hpp",
                                               "test/conform/capi/d.c"]))

    def test_the_sources_stay_and_the_copy_is_mutated(self):
        copy = Copy(self.root, self.copy, self.plant("src/pool/a.cpp"), [place()])
        copy.write()
        self.assertEqual((self.root / "src/pool/a.cpp").read_text(), "g();")
        self.assertEqual((self.copy / "src/pool/a.cpp").read_text().splitlines()[0], "#include <weft/mutant_switch.hpp>")
        self.assertIn("if (on(1)) {} else g()", (self.copy / "src/pool/a.cpp").read_text())

    def test_what_did_not_change_keeps_its_time_and_what_is_gone_goes(self):
        names = self.plant("src/pool/a.cpp", "src/pool/b.cpp")
        Copy(self.root, self.copy, names, [place()]).write()
        before = (self.copy / "src/pool/a.cpp").stat().st_mtime_ns
        Copy(self.root, self.copy, names[:1], [place()]).write()
        self.assertEqual((self.copy / "src/pool/a.cpp").stat().st_mtime_ns, before)
        self.assertFalse((self.copy / "src/pool/b.cpp").exists())

    def test_errors_of_the_compiler_belong_to_places(self):
        places = [place(line=7), place(line=8), place("src/pool/b.hpp", 7)]
        copy = Copy(self.root, self.copy, [], places)
        output = f"{self.copy}/src/pool/a.cpp:8:3: error: no\n../../src/pool/b.hpp:8:1: warning: hm\n"
        self.assertEqual(copy.places_of_errors(output), places[:1])
        self.assertEqual(copy.places_of_errors("../../src/pool/b.hpp:8:1: fatal error: no\n"), places[2:])

    def test_every_part_has_sources_and_tests(self):
        names = [str(file.relative_to(TOOLS.parent)) for folder in ("src", "include", "test")
                 for file in (TOOLS.parent / folder).rglob("*.*")]
        for part in programs.TESTS:
            with self.subTest(part=part):
                self.assertTrue(any(programs.part_of(name) == part for name in names))
                self.assertTrue(Copy(TOOLS.parent, self.copy, names, [place(f"src/{part}/a.cpp")]).kinds)


class RunTest(unittest.TestCase):
    def test_a_mutant_is_killed_by_a_failure_a_crash_or_a_hang(self):
        def fails(code):
            return programs.fails([sys.executable, "-c", code], 3, [Test("s.a", 0, "", set())])

        self.assertEqual(fails("pass"), "")
        self.assertEqual(fails("import os, sys; sys.exit(os.environ['WEFT_MUTANT'] != '3')"), "")
        self.assertEqual(fails("import sys; sys.exit(1)"), "killed")
        self.assertEqual(fails("import os; os.abort()"), "killed")
        self.assertEqual(fails("import signal, time; signal.alarm(1); time.sleep(600)"), "timed out")
        begin = time.monotonic()
        with mock.patch.object(programs, "BASE_PATIENCE", 0.5):
            self.assertEqual(programs.fails(["sleep", "600"], 3, [Test("s.a", 0, "", set())]), "timed out")
        self.assertLess(time.monotonic() - begin, 300)

    def test_only_tests_of_its_part_that_reach_the_place_are_run(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "unit_tests"
            script.write_text(f'#!/bin/sh\necho "$WEFT_MUTANT $*" >>{folder}/calls\ntest "$WEFT_MUTANT" != 2\n')
            script.chmod(0o755)
            own, other = "test/unit/pool/a_test.cpp", "test/unit/resource/b_test.cpp"
            tests = [Test("s.a", 0, own, {1, 2}), Test("s.b", 0, own, {2}), Test("s.c", 0, own, set()),
                     Test("s.d", 0, other, {1, 2, 3})]
            known = [Program("unit", script, tests)]
            self.assertEqual([programs.outcome(place(number=number), known) for number in (1, 2, 3)],
                             ["survived", "killed", "not reached"])
            filters = [line.split()[-1] for line in (Path(folder) / "calls").read_text().splitlines()]
            self.assertEqual(filters, ["--gtest_filter=s.a", "--gtest_filter=s.a:s.b"])

    def test_the_record_of_a_run(self):
        tests, failed = programs.read_record("\ns.a 1 1500 test/a.cpp 3 17\ns.b 0 2 test/b.cpp 3\ns.crash\n"
                                            "s.c 1 0 test/b.cpp")
        self.assertEqual(tests, [Test("s.a", 1.5, "test/a.cpp", {3, 17}), Test("s.c", 0, "test/b.cpp", set())])
        self.assertEqual(failed, ["s.b", "s.crash"])

    def test_what_fails_without_a_mutant_is_not_used_and_a_program_is_observed_once(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "unit_tests"
            script.write_text("""#!/bin/sh
case "$*" in
  *s.b*) printf '\\ns.c 1 7 c.cpp 4' >>"$WEFT_REACHED" ;;
  *) printf '\\ns.a 1 5 a.cpp 3\\ns.b' >>"$WEFT_REACHED"; kill -SEGV $$ ;;
esac
""")
            script.chmod(0o755)
            program = Program("unit", script)
            self.assertEqual(programs.observe(program, Path(folder)), ["s.b"])
            self.assertEqual(program.tests, [Test("s.a", 0.005, "a.cpp", {3}), Test("s.c", 0.007, "c.cpp", {4})])

            again = Program("unit", script)
            script.write_text("#!/bin/sh\nexit 3\n")
            os.utime(script, ns=(0, 0))
            self.assertEqual(programs.observe(again, Path(folder)), ["s.b"])
            self.assertEqual(again.tests, program.tests)
            os.utime(script)
            with self.assertRaises(programs.Failure):
                programs.observe(again, Path(folder))


    def test_the_cases_of_the_c_interface_are_observed_one_by_one(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "capi_tests"
            script.write_text('#!/bin/sh\ntest $# = 1 || exec echo a b\ntest "$1" = a\n')
            script.chmod(0o755)
            for _ in range(2):
                program = Program("capi", script)
                self.assertEqual(programs.observe(program, Path(folder)), ["b"])
                self.assertEqual([test.name for test in program.tests], ["a"])


class OutcomesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in (("src/pool/a.cpp", "g(); g();"), ("test/a_test.cpp", "one")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.places = [place(), Place("src/pool/a.cpp", 1, 1, 5, 8, "f", "call skipped", "g()", place().mutated)]

    def outcomes(self):
        return Outcomes(self.root / "outcomes", self.root, ["test/a_test.cpp"])

    def found(self):
        kept = self.outcomes()
        return [kept.find(each) for each in self.places]

    def keep(self, *results):
        for each, result in zip(self.places, results):
            self.outcomes().add(each, result)

    def test_each_place_keeps_its_outcome(self):
        self.assertEqual(self.found(), [None, None])
        self.keep("killed", "survived")
        self.assertEqual(self.found(), ["killed", "survived"])
        self.keep("timed out")
        self.assertEqual(self.found(), ["timed out", "survived"])

    def test_a_changed_test_may_kill_what_survived(self):
        self.keep("killed", "survived")
        (self.root / "test/a_test.cpp").write_text("two")
        self.assertEqual(self.found(), ["killed", None])

    def test_the_places_of_a_changed_file_have_no_outcome(self):
        self.keep("killed", "not reached")
        (self.root / "src/pool/a.cpp").write_text("g(); g(); ")
        self.assertEqual(self.found(), [None, None])

    def test_a_line_that_was_cut_off_is_dropped(self):
        self.keep("killed", "survived")
        file = self.root / "outcomes"
        file.write_text(file.read_text()[:-7])
        self.assertEqual(self.found(), ["killed", None])
        self.keep("killed", "killed")
        self.assertEqual(self.found(), ["killed", "killed"])


class ToolTest(unittest.TestCase):
    TABLE = "text\n\n| place | change | why it is equivalent |\n|---|---|---|\n| `s::f` | call skipped: `a \\|\\| g()` | slower |\n"

    def report(self, outcomes, arguments=""):
        output = io.StringIO()
        with redirect_stdout(output):
            left = tool.report(outcomes, tool.read_arguments(arguments))
        return left, output.getvalue()

    def test_arguments_are_read_from_a_table(self):
        self.assertEqual(tool.read_arguments(self.TABLE), {("s::f", "call skipped: a || g()"): "slower"})

    def test_survivors_are_listed_and_the_rate_is_by_folder(self):
        left, text = self.report({place(): "killed", place(line=3): "survived", place("src/capi/c.cpp", 4): "not reached"})
        self.assertEqual(left, 2)
        self.assertIn("  src/pool/a.cpp:3  f  call skipped: g()\n", text)
        self.assertIn("  src/capi/c.cpp:4  f  call skipped: g()  (no test reaches it)\n", text)
        rates = [line.split() for line in text.splitlines()[-3:]]
        self.assertEqual(rates, [["pool", "2", "1", "0", "1", "50.0", "%", "50.0", "%"],
                                 ["capi", "1", "0", "0", "1", "0.0", "%", "0.0", "%"],
                                 ["all", "3", "1", "0", "2", "33.3", "%", "33.3", "%"]])

    def test_what_is_argued_is_counted_apart(self):
        argued = place(code="a || g()", text="a || g()", function="s::f")
        left, text = self.report({argued: "survived", place(): "killed"}, self.TABLE)
        self.assertEqual(left, 0)
        self.assertNotIn("survivors", text)
        self.assertTrue(text.splitlines()[-3].endswith(" of all  of unargued"))
        self.assertEqual(text.splitlines()[-1].split(), ["all", "2", "1", "1", "0", "50.0", "%", "100.0", "%"])

    def test_where_all_are_argued_there_is_no_rate_of_the_others(self):
        argued = place(code="a || g()", text="a || g()", function="s::f")
        _, text = self.report({argued: "survived"}, self.TABLE)
        self.assertEqual(text.splitlines()[-1].split(), ["all", "1", "0", "1", "0", "0.0", "%", "-"])

    def test_what_did_not_end_is_killed_and_counted(self):
        _, text = self.report({place(): "timed out", place(line=3): "killed"})
        self.assertEqual(text.splitlines()[-2].split(), ["all", "2", "2", "0", "0", "100.0", "%", "100.0", "%"])
        self.assertEqual(text.splitlines()[-1], "killed because a test did not end: 1")

    def test_a_run_is_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src/pool").mkdir(parents=True)
            (root / "src/pool/a.cpp").write_text("g(); " * 4)
            found = [Place("src/pool/a.cpp", 1, 1, 5 * i, 5 * i + 3, "f", "call skipped", "g()", place().mutated)
                     for i in range(4)]
            judged = []

            def outcome(judged_place, tested):
                judged.append(judged_place.first)
                return "killed"

            with (mock.patch.multiple(tool, ROOT=root, FOLDER=root, files=lambda root: ["src/pool/a.cpp"]),
                  mock.patch.object(Copy, "build", lambda copy, jobs: [copy.places.pop()] if len(copy.places) == 4 else []),
                  mock.patch.object(programs, "outcome", outcome), redirect_stdout(io.StringIO())):
                counts = [len(tool.resume(tool.parse_arguments(["--resume", *limit, "-j1"]), found, found))
                          for limit in (["2"], [], [])]
            self.assertEqual(counts, [2, 3, 3])
            self.assertEqual(sorted(judged), [0, 5, 10])  # the last does not compile

    def test_places_are_chosen_by_folder_file_and_line(self):
        only = ["src/pool/a.cpp:3", "src/pool/a.cpp:4", "src/capi"]
        chosen = [tool.is_chosen(place(path, line), only)
                  for path, line in (("src/pool/a.cpp", 3), ("src/pool/a.cpp", 5), ("src/pool/b.cpp", 3), ("src/capi/c.cpp", 7))]
        self.assertEqual(chosen, [True, False, False, True])
        self.assertTrue(tool.is_chosen(place(), []))

    def test_help(self):
        run = subprocess.run([sys.executable, "-B", TOOLS / "mutate", "--help"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn('"of all"', run.stdout)
        self.assertIn('"of unargued"', run.stdout)


if __name__ == "__main__":
    unittest.main()
