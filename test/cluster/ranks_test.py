#!/usr/bin/env python3
"""Ranks that die, restarts on another number of ranks, and a full disk: ranks_test.py MPIEXEC PROGRAM"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MPIEXEC, PROGRAM = sys.argv[1:3]


def start(ranks: int, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, *words], capture_output=True, text=True,
                          timeout=120, check=False)


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "tree.weft"

    def test_a_killed_rank_ends_the_job_and_is_named(self):
        ended = start(3, "kill")
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(ended.stderr, r"rank 2\b")
        self.assertRegex(ended.stderr, r"signal 9")

    def test_a_killed_job_continues_on_other_numbers_of_ranks(self):
        self.assertNotEqual(start(3, "die", str(self.file)).returncode, 0)
        self.assertTrue(self.file.exists(), "a checkpoint was written before")
        ended = start(2, "run", str(self.file))
        self.assertEqual((ended.returncode, ended.stdout), (0, "right\n"), ended.stderr)
        self.assertFalse(self.file.exists(), "a run that has ended has no checkpoint")

    def test_a_damaged_checkpoint_is_refused(self):
        self.assertNotEqual(start(1, "die", str(self.file)).returncode, 0)
        whole = self.file.read_bytes()
        damaged = bytearray(whole)
        damaged[-1] ^= 1
        self.file.write_bytes(damaged)
        ended = start(1, "run", str(self.file))
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("damaged", ended.stderr)
        self.file.write_bytes(whole[:-1])
        self.assertIn("too early", start(1, "run", str(self.file)).stderr)

    def test_a_full_disk_is_an_error_on_every_rank(self):
        ended = start(2, "full", str(self.file))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("checkpoint_failed", ended.stdout)
        self.assertEqual(os.listdir(self.folder), [], "nothing half written is left")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
