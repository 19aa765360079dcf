#!/usr/bin/env python3
"""Tests of the script ./weft, in a copy of the little that it reads, on a machine where nothing is installed.

The machine is a PATH with the few programs of a bare system and stand-ins for those that install.
"""

import os
import pty
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = ["bash", "cat", "cp", "dirname", "env", "getconf", "grep", "kill", "mkdir", "mktemp", "readlink", "sed", "sleep", "tail", "tr", "uname"]


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "weft"
        self.programs = Path(folder.name) / "programs"
        self.called = Path(folder.name) / "called"
        self.programs.mkdir()
        for name in BARE:
            (self.programs / name).symlink_to(shutil.which(name))
        for name in ["weft", "tools/packages.txt", "include/weft/version.hpp"]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        shutil.copytree(ROOT / "tools/help", self.root / "tools/help")

    def stand_in(self, name: str, body: str = "") -> None:
        """A program that writes down how it was called."""
        file = self.programs / name
        file.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>"{self.called}"\n{body}\n')
        file.chmod(0o755)

    def with_apt(self) -> None:
        self.stand_in("apt-get")
        self.stand_in("dpkg-query", "exit 1")  # nothing is installed
        self.stand_in("sudo", 'while [[ $1 == -* ]]; do shift; done\n"$@"')

    def calls(self) -> list[str]:
        return self.called.read_text().splitlines() if self.called.exists() else []

    def installed(self) -> list[str]:
        return [call for call in self.calls() if call.startswith("apt-get install")]

    def run_script(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(self.root / "weft"), *arguments], env={"PATH": str(self.programs)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
        )

    def run_on_terminal(self, answer: str, *arguments: str) -> str:
        """What the script shows on a terminal where somebody types the answer."""
        screen, terminal = pty.openpty()
        process = subprocess.Popen(
            [str(self.root / "weft"), *arguments], env={"PATH": str(self.programs)}, stdin=terminal, stdout=terminal, stderr=terminal
        )
        os.close(terminal)
        os.write(screen, answer.encode())
        shown = b""
        while True:
            try:
                some = os.read(screen, 4096)
            except OSError:  # the last process has closed the terminal
                break
            if not some:
                break
            shown += some
        os.close(screen)
        process.wait(timeout=60)
        return shown.decode()

    def test_help_version_and_doctor_need_only_a_shell(self):
        for arguments in [
            [], ["help"], ["--help"], ["help", "demo"], ["test", "--help"], ["bench", "-h"], ["mutate", "--help"],
            ["cluster", "--help"],
            ["net", "space", "--help"], ["help", "net", "run"], ["version"], ["--version"], ["doctor"],
        ]:
            with self.subTest(arguments=arguments):
                done = self.run_script(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)
        self.assertIn("usage: weft net space", self.run_script("net", "space", "--help").stdout)
        self.assertRegex(self.run_script("version").stdout, r"^weft \d+\.\d+\.\d+\n$")
        self.assertIn("./weft demo would install: g++ cmake ninja-build", self.run_script("doctor").stdout)

    def test_an_unknown_command_installs_nothing(self):
        self.with_apt()
        for arguments in [["demmo"], ["help", "demmo"]]:
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("there is no command 'demmo'", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_without_a_terminal_it_says_what_it_installs_and_does(self):
        self.with_apt()
        done = self.run_script("demo")  # fails later: there is no cmake
        self.assertIn("weft: installing g++ cmake ninja-build", done.stderr)
        self.assertEqual(len(self.installed()), 1)
        self.assertIn("--no-install-recommends g++ cmake ninja-build", self.installed()[0])

    def test_on_a_terminal_it_asks(self):
        self.with_apt()
        shown = self.run_on_terminal("n\n", "demo")
        self.assertIn("installing g++ cmake ninja-build", shown)
        self.assertIn("nothing was installed", shown)
        self.assertEqual(self.installed(), [])
        self.run_on_terminal("\n", "demo")
        self.assertEqual(len(self.installed()), 1)

    def test_yes_answers_the_question(self):
        self.with_apt()
        shown = self.run_on_terminal("", "--yes", "demo")
        self.assertNotIn("go on?", shown)
        self.assertEqual(len(self.installed()), 1)

    def test_what_fails_shows_its_log(self):
        self.with_apt()
        self.stand_in("apt-get", 'echo "no space left"; exit 1')
        done = self.run_script("demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no space left", done.stderr)
        self.assertIn("failed: ", done.stderr)

    def test_without_apt_it_lists_what_is_missing(self):
        done = self.run_script("demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing: g++ cmake ninja-build", done.stderr)

    def test_help_goes_to_the_page_of_the_longest_command(self):
        self.assertEqual(self.run_script("demo", "transfers", "--help").stdout, self.run_script("help", "demo").stdout)


if __name__ == "__main__":
    unittest.main()
