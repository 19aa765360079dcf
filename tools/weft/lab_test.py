"""The commands of the lab, of the program given as the first argument."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = sys.argv.pop(1)


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


class Command(unittest.TestCase):
    def succeed(self, *words: str) -> str:
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fail_with(self, code: int, message: str, *words: str) -> None:
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)


class Net(Command):
    def test_every_pattern_of_the_list_is_a_net(self):
        listed = self.succeed("net", "list")
        for name in ("mss:2x2x2:2", "mss-shape:3x3x3:2", "mss-concurrent:2x2x2:2", "mss-fibonacci:4:2",
                     "mss-search:4:2", "mss-hanoi:2:2", "philosophers:3", "token-ring:3", "peterson:1", "kanban:1",
                     "resources", "sleep", "contract", "termination"):
            with self.subTest(name):
                self.assertIn(f"  {name.split(':')[0]}", listed)
                self.assertIn("markings", self.succeed("net", "space", name))

    def test_the_space_is_printed_with_its_report(self):
        printed = self.succeed("net", "space", "mss:2x2x2:3")
        for line in ("markings              229", "arcs                  762", "dead markings         1 (",
                     "complete runs         92664, of ", "dead transitions      none"):
            self.assertIn(line, printed)

    def test_a_deadlock_is_printed_with_the_way_there(self):
        printed = self.succeed("net", "space", "philosophers:3")
        self.assertIn("the first dead marking, after 3 firings:\n  TakeLeft_0\n", printed)

    def test_a_run_is_saved_and_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "run.trace"))
            first = self.succeed("net", "run", "token-ring:4", "--seed", "5", "--steps", "30", "--save", file)
            again = self.succeed("net", "run", "token-ring:4", "--replay", file)
        self.assertEqual(first, again)

    def test_concurrent_steps_are_run(self):
        printed = self.succeed("net", "run", "mss-concurrent:4x5x6:3", "--concurrent", "--a-priori")
        self.assertIn(", where nothing is enabled:", printed)

    def test_pnml_goes_out_and_in(self):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "net.pnml"))
            self.succeed("net", "pnml", "kanban:2", "--output", file)
            xml.parse(file)
            self.assertIn("markings              4600", self.succeed("net", "space", file))
            Path(file).write_text("<pnml>\n<net/>\n</pnml>")
            self.fail_with(1, f"{file}: line 2: 'net' has no 'type'", "net", "space", file)

    def test_a_coloured_net_goes_out_and_in(self):
        with tempfile.TemporaryDirectory() as folder:
            file, trace, page = (str(Path(folder, name)) for name in ("net.pnml", "run.trace", "page.html"))
            self.succeed("net", "pnml", "mss:2x2x2:3", "--output", file)
            xml.parse(file)
            printed = self.succeed("net", "space", file)
            self.assertIn("markings              229", printed)
            self.assertIn("arcs                  762", printed)
            first = self.succeed("net", "run", "mss:2x2x2:3", "--seed", "4", "--save", trace)
            self.assertEqual(self.succeed("net", "run", file, "--seed", "4"), first)
            self.assertEqual(self.succeed("net", "run", file, "--replay", trace), first)
            self.succeed("net", "page", file, "--output", page)
            self.assertIn("Core1.LTS", Path(page).read_text())
            text = Path(file).read_text()
            Path(file).write_text(text.replace("<mode>", "<mode>9999 ", 1))
            self.fail_with(1, f"{file}: line {text[:text.index('<mode>')].count(chr(10)) + 1}: '9999' is not a value of this net",
                           "net", "run", file)
        self.fail_with(1, "there are too many: more than 1000 markings", "net", "pnml", "mss:4x5x6:3", "--limit", "1000")

    def test_what_has_no_end_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "grows.pnml")
            file.write_text('<pnml><net id="n" type="ptnet"><page id="g"><place id="p"/><transition id="t"/>'
                            '<arc id="a" source="t" target="p"/></page></net></pnml>')
            done = run("net", "space", str(file))
        self.assertEqual(done.returncode, 1)
        self.assertIn("unbounded: 'p'", done.stdout)
        capped = run("net", "space", "kanban:9", "--limit", "1000")
        self.assertEqual(capped.returncode, 1)
        self.assertIn("not complete          more than 1000 markings", capped.stdout)

    def test_wrong_uses_are_reported(self):
        self.fail_with(2, "net has no command 'walk'", "net", "walk", "kanban:1")
        self.fail_with(2, "net space takes one net", "net", "space")
        self.fail_with(2, "there is no option --fast", "net", "run", "kanban:1", "--fast")
        self.fail_with(2, "--steps takes a number from 1 to", "net", "run", "kanban:1", "--steps", "0")
        self.fail_with(2, "mss:MxNxP:CORES: expected 4 numbers, found 3", "net", "run", "mss:4x5x6")
        self.fail_with(1, "cannot read nowhere.pnml: No such file or directory, and no built-in net has this name",
                       "net", "run", "nowhere.pnml")
        self.fail_with(1, "cannot read .: Is a directory", "net", "run", ".")


class Paper(Command):
    def test_the_tables_have_all_their_lines(self):
        for table, lines in (("2A", 70), ("2B", 36)):
            rows = [line.split() for line in self.succeed("mss", "--table", table).splitlines()]
            numbered = [row for row in rows if row and row[0].isdigit() and row[-1].isdigit()]
            self.assertEqual(len(numbered), lines, table)
            self.assertEqual(numbered[-1][-4:], ["0", "0", "0", "0"])
        self.assertIn(" 103  119  126   70  143  137", self.succeed("mss", "--table", "1"))

    def test_the_groups_of_the_discussion_are_counted(self):
        printed = self.succeed("mss", "--table", "2A")
        self.assertIn("69 steps: 8 of MSS, 13 that make normal threads, 24 that make leaves, 24 of multipliers", printed)
        self.assertIn("36 concurrent groups at least", printed)

    def test_the_rules_differ_on_the_papers_example(self):
        printed = self.succeed("mss", "--rules")
        self.assertIn("multi stealing           1 1 1 1 0 0 1 1", printed)
        self.assertIn("the rejected rule        1 1 1 1 1 1 0 0", printed)

    def test_any_run_is_grouped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "run.trace")
            self.succeed("net", "run", "mss:3x4x4:2", "--save", str(file), "--quiet")
            self.assertIn("concurrent groups at least", self.succeed("mss", "--group", str(file), "--net", "3x4x4:2"))
        self.assertIn("concurrent groups at least", self.succeed("mss", "--run", "--seed", "9"))

    def test_wrong_uses_are_reported(self):
        self.fail_with(2, "the tables 1, 2A and 2B, and not '3'", "mss", "--table", "3")
        self.fail_with(2, "--sizes takes numbers from 0 to 1000000, not 'x'", "mss", "--sizes", "4,x")
        self.fail_with(2, "--net: expected 4 numbers, found 2", "mss", "--run", "--net", "4x5")


class Matrices(Command):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.a, self.b = str(Path(folder.name, "a.txt")), str(Path(folder.name, "b.txt"))
        Path(self.a).write_text("1 2 3\n4 5 6\n")
        Path(self.b).write_text("# the second\n7, 8\n9, 10\n11, 12\n")

    def multiply(self, *words: str) -> list[list[int]]:
        return json.loads(self.succeed("mss", "--run", "--a", self.a, "--b", self.b, *words, "--json", "-"))["C"]

    def test_matrices_in_files_are_multiplied(self):
        self.assertEqual(self.multiply(), [[58, 64], [139, 154]])
        for children in ("2", "4", "8", "16"):
            self.assertEqual(self.multiply("--cores", "5", "--children", children, "--seed", "3"), [[58, 64], [139, 154]])
        printed = self.succeed("mss", "--run", "--a", self.a, "--b", self.b, "--cores", "2")
        self.assertIn("C1   C2    L\n", printed)
        self.assertIn("C\n   58   64\n  139  154\n", printed)

    def test_more_children_are_made_in_one_step(self):
        def first_sizes(children: str) -> list[int]:
            words = ("mss", "--run", "--net", "16x1x16:2", "--children", children, "--json", "-")
            return json.loads(self.succeed(*words))["steps"][0]["sizes"]
        self.assertEqual([first_sizes(each) for each in ("2", "4", "8", "16")], [[2, 0], [4, 0], [8, 0], [16, 0]])

    def test_bad_files_are_named(self):
        self.fail_with(1, "/no/such/file", "mss", "--run", "--a", self.a, "--b", "/no/such/file")
        Path(self.b).write_text("7 8\n9 ten\n")
        self.fail_with(1, f"{self.b}: line 2: 'ten' is not a whole number", "mss", "--run", "--a", self.a, "--b", self.b)
        self.fail_with(1, "the matrices cannot be multiplied: A has 3 columns, B has 2 rows",
                       "mss", "--run", "--a", self.a, "--b", self.a)

    def test_wrong_uses_are_reported(self):
        self.fail_with(2, "--a and --b are given together", "mss", "--run", "--a", self.a)
        self.fail_with(2, "by --a and --b, or by --net", "mss", "--run", "--a", self.a, "--b", self.b, "--net", "2x2x2:2")
        self.fail_with(2, "the cores are given by --cores or by --net", "mss", "--run", "--net", "2x2x2:2", "--cores", "4")
        self.fail_with(2, "--children takes 2, 4, 8 and 16, and not '3'", "mss", "--run", "--children", "3")
        self.fail_with(2, "--children takes 2, 4, 8 and 16, and not '6'", "mss", "--experiment", "--children", "2,6")
        self.fail_with(2, "--children needs --run, --group or --experiment", "mss", "--table", "2A", "--children", "8")
        self.fail_with(2, "--seed needs --run", "mss", "--experiment", "--seed", "2")
        self.fail_with(2, "--page needs --experiment", "mss", "--run", "--page", "x.html")
        self.fail_with(2, "standard output cannot be both", "mss", "--experiment", "--page", "-", "--json", "-")


class Experiment(Command):
    def test_cores_and_children_are_tables_json_and_a_page(self):
        words = ("mss", "--experiment", "--cores", "1,3", "--children", "4,16", "--runs", "2")
        with tempfile.TemporaryDirectory() as folder:
            page, file = Path(folder, "page.html"), Path(folder, "figures.json")
            printed = self.succeed(*words)
            self.succeed(*words, "--page", str(page), "--json", str(file))
            figures = json.loads(file.read_text())
            text = page.read_text()
        self.assertEqual((figures["product"], figures["runs"]), ("4x5x6", 2))
        points = {(each["cores"], each["children"]): each for each in figures["points"]}
        self.assertEqual(sorted(points), [(1, 4), (1, 16), (3, 4), (3, 16)])
        self.assertEqual(points[3, 4]["concurrent_steps"], 18)
        self.assertIn("       3         18.0         15.0\n", printed)
        self.assertIn(json.dumps(figures, separators=(",", ":")), text)
        self.assertNotIn("the figures\"}", text)

    def test_a_page_that_cannot_be_written_fails_before_the_work(self):
        self.fail_with(1, "/no/such/folder/page.html", "mss", "--experiment", "--runs", "10000",
                       "--page", "/no/such/folder/page.html")


class Simulator(Command):
    def test_the_figures_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            figures, picture = Path(folder, "figures.json"), Path(folder, "picture.svg")
            printed = self.succeed("sim", "--policy", "random,mss", "--cores", "1,8", "--load", "balanced:8,one-queue:500",
                                "--json", str(figures), "--svg", str(picture))
            read = json.loads(figures.read_text())
            xml.parse(picture)
        self.assertEqual(len(read), 8)
        self.assertEqual(len(printed.splitlines()), 9)
        self.assertTrue(all(each["ratio"] > 0.5 for each in read))

    def test_costs_are_measured_and_taken(self):
        measured = self.succeed("sim", "--calibrate").split()
        self.assertEqual(measured[0], "--costs")
        self.succeed("sim", "--cores", "8", "--load", "balanced:6", *measured)
        self.fail_with(2, "--costs takes pop, push", "sim", "--costs", "pop=ten")

    def test_the_real_pool_is_compared(self):
        rows = [line.split() for line in self.succeed(
            "sim", "--compare", "--repeat", "1", "--load", "fibonacci:12,one-queue:500", "--cores", "1",
            "--policy", "random,multi").splitlines()]
        self.assertEqual([row[:3] for row in rows[1:]],
                         [[load, policy, "1"] for load in ("fibonacci:12", "one-queue:500")
                          for policy in ("random", "multi")])
        self.assertTrue(all(float(each) >= 0 for row in rows[1:] for each in row[3:]))
        # With all its digits: a run that was stopped in the middle may be a thousand times too long.
        read = json.loads(self.succeed("sim", "--compare", "--repeat", "1", "--load", "fibonacci:12", "--cores", "1",
                                       "--policy", "random", "--json", "-"))
        self.assertTrue(all(each[name] > 0 for each in read for name in ("pool_us", "simulated_us", "ratio_of_cpu")))
        self.fail_with(2, "the pool has no policy 'richest'", "sim", "--compare", "--policy", "richest")
        self.fail_with(2, "--compare takes no more workers than there are CPUs", "sim", "--compare", "--cores", "4096")

    def test_a_seed_is_a_run(self):
        words = ["sim", "--policy", "random", "--cores", "16", "--load", "varied:10", "--json", "-"]
        self.assertEqual(self.succeed(*words, "--seed", "4"), self.succeed(*words, "--seed", "4"))
        self.assertNotEqual(self.succeed(*words, "--seed", "4"), self.succeed(*words, "--seed", "5"))

    def test_wrong_uses_are_reported(self):
        self.fail_with(2, "there is no policy 'rich'", "sim", "--policy", "rich")
        self.fail_with(2, "--cores takes numbers from 1 to 4096", "sim", "--cores", "5000")
        self.fail_with(2, "there is no load 'tree'", "sim", "--load", "tree:3")


if __name__ == "__main__":
    unittest.main()
