"""A tree of files planted for one test, and a way to run a check over it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKS = Path(__file__).resolve().parents[1]
REPOSITORY = CHECKS.parents[1]


class PlantedTree(unittest.TestCase):
    check = ""  # the script under test

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self, *arguments, **environment):
        command = [sys.executable, "-B", CHECKS / f"{self.check}.py", "--root", self.root, *arguments]
        return subprocess.run(command, capture_output=True, text=True, **environment)

    def passes(self, summary, *arguments):
        run = self.run_check(*arguments)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, summary + "\n", ""))

    def fails(self, *lines, arguments=()):
        """The check prints just these lines; a line that ends in … stands for all that start so."""
        run = self.run_check(*arguments)
        self.assertEqual((run.returncode, run.stderr), (1, ""), run.stdout)
        printed = run.stdout.splitlines()
        self.assertEqual(len(printed), len(lines), run.stdout)
        for line, expected in zip(printed, lines):
            if expected.endswith("…"):
                self.assertEqual(line[: len(expected) - 1], expected[:-1])
            else:
                self.assertEqual(line, expected)
