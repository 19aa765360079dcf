"""The benchmarks' program, given as the first argument: its figures, and what it says to wrong uses."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
KEYS = ["workload", "params", "lib", "threads", "metric", "value", "unit", "runs"]


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


class Runner(unittest.TestCase):
    def test_the_json_has_every_metric_of_every_library(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "figures.json")
            done = run("skynet", "--repeat", "2", "--threads", "1,2", "--json", str(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads(file.read_text())
        for each in figures:
            self.assertEqual(list(each), KEYS)
            self.assertEqual(each["workload"], "skynet")
            self.assertEqual(each["params"], {"leaves": 1000000})
            self.assertEqual(each["runs"], 2)
            self.assertGreater(each["value"], 0)
        found = {(each["lib"], each["threads"], each["metric"]) for each in figures}
        self.assertEqual(len(found), len(figures))
        for metric in ("seconds", "ns_per_task"):
            self.assertLessEqual({("serial", 1, metric), ("weft", 1, metric), ("weft", 2, metric)}, found)

    def test_json_to_standard_output_is_alone_there(self):
        done = run("skynet", "--repeat", "1", "--threads", "1", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(json.loads(done.stdout)), 1)

    def test_the_table_compares_with_serial(self):
        done = run("skynet", "--repeat", "1", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertIn(["lib", "threads", "params", "seconds", "ns_per_task", "x", "serial"], rows)
        serial = next(row for row in rows if row[:1] == ["serial"])
        self.assertEqual(serial[-1], "1.000")

    def test_the_list_names_each_workload_once(self):
        names = [line.split()[0] for line in run("--list").stdout.splitlines()]
        self.assertIn("fib", names)
        self.assertEqual(len(names), len(set(names)))

    def test_an_unknown_workload_names_the_nearest(self):
        done = run("nqeens")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'nqueens'?", done.stderr)

    def test_wrong_uses_are_reported(self):
        for words in (["fib", "--threads", "65"], ["fib", "--threads", "1,"], ["fib", "--repeat", "0"],
                      ["fib", "--json"], ["--fast"], []):
            with self.subTest(words):
                done = run(*words)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith("weft bench: "))

    def test_a_file_that_cannot_be_written_is_reported_before_the_work(self):
        done = run("fib", "--json", "/dev/null/figures.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
