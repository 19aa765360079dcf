"""install.py with an npm that does as it is asked to."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.commands, self.packages = Path(folder.name) / "commands", Path(folder.name) / "packages"
        self.commands.mkdir()

    def npm(self, script):
        (self.commands / "npm").write_text(f"#!/bin/sh\n{script}\n")
        (self.commands / "npm").chmod(0o755)

    def install(self):
        command = [sys.executable, "-B", HERE / "install.py", self.packages]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": str(self.commands)})

    def has(self, name):
        return (self.packages / name).is_file()

    def test_what_was_installed_is_not_installed_again(self):
        self.npm("test -f package-lock.json")
        self.assertEqual(self.install().returncode, 0)
        self.npm("exit 1")
        self.assertEqual(self.install().returncode, 0)
        (self.packages / "package.json").write_text("{}")
        self.assertEqual(self.install().returncode, 1)

    def test_a_registry_that_cannot_be_reached_skips_with_the_reason(self):
        for line in ("npm ERR! code ENOTFOUND", "npm error code EAI_AGAIN", "npm ERR! code ECONNREFUSED",
                     "npm ERR! code E503", "npm ERR! code UNABLE_TO_GET_ISSUER_CERT_LOCALLY"):
            with self.subTest(line=line):
                self.npm(f"echo 'npm WARN first'; echo '{line}' >&2; exit 1")
                run = self.install()
                reason = f"skipped: npm cannot reach its registry ({line.split()[-1]})\n"
                self.assertEqual((run.returncode, run.stdout.endswith(reason)), (77, True), run.stdout)
                self.assertEqual((self.packages / "unreachable").read_text(), reason)
                self.assertFalse(self.has("installed"))

    def test_without_npm_it_skips(self):
        run = self.install()
        self.assertEqual((run.returncode, run.stdout), (77, "skipped: npm is not installed\n"))

    def test_any_other_failure_is_one(self):
        for line in ("npm ERR! code EINTEGRITY", "npm ERR! code E404", "npm ERR! code EUSAGE", "code ENOTFOUND", ""):
            with self.subTest(line=line):
                self.npm(f"echo '{line}'; exit 3")
                self.assertEqual(self.install().returncode, 3)
                self.assertFalse(self.has("installed") or self.has("unreachable"))

    def test_what_was_skipped_is_tried_again(self):
        self.npm("echo 'npm ERR! code ENOTFOUND'; exit 1")
        self.assertEqual(self.install().returncode, 77)
        self.npm("exit 0")
        self.assertEqual(self.install().returncode, 0)
        self.assertTrue(self.has("installed") and not self.has("unreachable"))


if __name__ == "__main__":
    unittest.main()
