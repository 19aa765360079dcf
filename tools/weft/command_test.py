"""The command line of the program given as the first argument: help, exit codes, wrong uses, JSON everywhere."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
COMMANDS = ("demo", "tour", "net", "mss", "sim", "doctor", "version", "completion", "manual", "help")


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


class CommandLine(unittest.TestCase):
    def fail_with(self, code: int, message: str, *words: str) -> None:
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)
        self.assertTrue(done.stderr.startswith("weft: "), done.stderr)

    def test_the_help_names_every_command_and_the_exit_codes(self):
        for words in ([], ["help"], ["--help"], ["-h"]):
            done = run(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for each in COMMANDS:
                self.assertIn(f"\n  {each} ", done.stdout)
            for each in ("test", "bench", "cluster", "mutate"):  # of the script ./weft
                self.assertIn(f"\n  {each} ", done.stdout)
            self.assertIn("Exit codes: 0", done.stdout)

    def test_every_command_has_help(self):
        for each in COMMANDS:
            with self.subTest(each):
                printed = run(each, "--help")
                self.assertEqual(printed.returncode, 0, printed.stderr)
                self.assertIn(f"usage: weft {each}", printed.stdout)
                self.assertEqual(run("help", each).stdout, printed.stdout)
        self.assertIn("usage: weft net space NET [options]", run("help", "net", "space").stdout)

    def test_unknown_names_are_answered_with_the_nearest(self):
        self.fail_with(2, "there is no command 'demmo'; did you mean 'demo'?", "demmo")
        self.fail_with(2, "there is no command 'docter'; did you mean 'doctor'?", "help", "docter")
        self.fail_with(2, "net has no command 'spaces'; it has run, space, page, pnml and list; did you mean 'space'?",
                       "net", "spaces", "kanban:1")
        self.fail_with(2, "there is no option --sed; did you mean '--seed'?", "net", "run", "kanban:1", "--sed", "1")
        self.fail_with(2, "there is no option --jsn; did you mean '--json'?", "doctor", "--jsn")
        self.fail_with(1, "and no built-in net has this name; did you mean 'kanban'?", "net", "run", "kamban:1")
        self.fail_with(2, "the demonstration has no workload 'transfer'; did you mean 'transfers'?", "demo", "transfer")

    def test_wrong_uses_are_reported(self):
        self.fail_with(2, "version takes no argument 'now'", "version", "now")
        self.fail_with(2, "--seed needs a value", "net", "run", "kanban:1", "--seed")
        self.fail_with(2, "--threads takes a number from 1 to 64, not '0'", "demo", "--threads", "0")
        self.fail_with(2, "there is no act 'sum/nobody'", "demo", "--act", "sum/nobody")
        self.fail_with(1, "cannot write /nowhere/at/all: No such file", "version", "--json", "/nowhere/at/all")
        self.fail_with(1, "cannot write /nowhere/page.html: No such file", "demo", "--page", "/nowhere/page.html")

    def test_one_output_cannot_be_two_things(self):
        self.fail_with(2, "standard output cannot be both", "net", "page", "philosophers:3", "--json", "-")

    def test_an_interrupted_demonstration_leaves_no_empty_report(self):
        with tempfile.TemporaryDirectory() as folder:
            running = subprocess.Popen([PROGRAM, "demo", "--quick", "sum"], cwd=folder, stdout=subprocess.PIPE)
            running.stdout.readline()  # it has begun, and has looked whether it can write the report
            running.kill()
            running.communicate()
            self.assertEqual([each.name for each in Path(folder).iterdir() if each.stat().st_size == 0], [])

    def test_what_is_far_from_all_names_is_near_to_none(self):
        self.fail_with(2, "there is no command 'zzz' (see weft help)", "zzz")
        self.fail_with(2, "the demonstration has no workload 'nothing' (see weft help demo)", "demo", "nothing")

    def test_output_that_is_lost_is_a_failure(self):
        for words in (["net", "list"], ["version", "--json", "-"]):
            with self.subTest(words), open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stderr),
                                 (1, "weft: cannot write standard output: No space left on device\n"))

    def test_json_is_written_everywhere(self):
        for words in (["version"], ["doctor"], ["net", "list"], ["net", "run", "philosophers:3"], ["mss", "--rules"],
                      ["net", "space", "philosophers:3"], ["mss", "--table", "1"], ["mss", "--table", "2A"],
                      ["mss", "--run"], ["tour"], ["net", "page", "philosophers:3", "--output", os.devnull],
                      ["net", "pnml", "philosophers:3", "--output", os.devnull], ["sim", "--cores", "4", "--load", "balanced:6"]):
            with self.subTest(words):
                done = run(*words, "--json", "-")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout))
                self.assertEqual(done.stderr, "", "no progress is shown where no terminal is")

    def test_json_has_what_the_text_has(self):
        space = json.loads(run("net", "space", "philosophers:3", "--json", "-").stdout)
        self.assertEqual((space["markings"], space["dead_markings"], space["complete"]), (27, 2, True))
        self.assertEqual(len(space["way_to_a_dead_marking"]), 3)
        table = json.loads(run("mss", "--table", "2A", "--json", "-").stdout)
        self.assertEqual((len(table["steps"]), len(table["groups"])), (69, 36))
        self.assertEqual(table["steps"][-1]["sizes"], [0, 0, 0])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "capped.json")
            self.assertEqual(run("net", "space", "kanban:9", "--limit", "1000", "--json", str(file)).returncode, 1)
            self.assertFalse(json.loads(file.read_text())["complete"])

    def completed(self, *words: str) -> list[str]:
        """What bash offers for the last of these words."""
        script = 'source <(printf %s "$1"); shift; COMP_WORDS=(weft "$@"); COMP_CWORD=$#; _weft; echo "${COMPREPLY[@]}"'
        command = ["bash", "-c", script, "bash", run("completion", "bash").stdout, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    def test_bash_completes_commands_options_and_known_words(self):
        self.assertEqual(self.completed("d"), ["demo", "doctor"])
        self.assertEqual(self.completed("net", "p"), ["page", "pnml"])
        self.assertEqual(self.completed("net", "space", "--l"), ["--limit"])
        self.assertEqual(self.completed("net", "run", "--seed", "1", "--st"), ["--steps"])
        self.assertEqual(self.completed("demo", "--quick", "tr"), ["transfers"])
        self.assertEqual(self.completed("completion", "b"), ["bash"])
        self.assertEqual(self.completed("help", "ne"), ["net"])
        self.assertEqual(self.completed("net", "pnml", "fi"), [], "bash completes files then")

    def test_there_are_completions_for_other_shells(self):
        self.assertTrue(run("completion", "zsh").stdout.startswith("#compdef weft\n"))
        fish = run("completion", "fish").stdout
        self.assertIn("complete -c weft -n '__fish_use_subcommand' -f -a demo ", fish)
        self.assertIn("complete -c weft -n '__fish_seen_subcommand_from run' -l seed -r ", fish)
        self.fail_with(2, "there is no completion for 'ksh', only for bash, zsh, fish", "completion", "ksh")
        self.fail_with(2, "completion takes one shell: bash, zsh, fish", "completion")

    def test_the_manual_has_every_command_and_option(self):
        page = run("manual").stdout
        for each in COMMANDS:
            self.assertIn(f".SS \\fBweft {each}\\fR", page)
        self.assertIn(".TP\n\\fB\\-\\-seed\\fR \\fIN\\fR\n", page)

    def test_the_doctor_knows_the_machine(self):
        printed = json.loads(run("doctor", "--json", "-").stdout)
        self.assertTrue(printed["works"])
        names = [each["name"] for each in printed["findings"]]
        for each in ("CPUs", "topology", "pool", "io_uring", "membarrier", "to build", "to test"):
            self.assertIn(each, names)
        self.assertIn("weft works here", run("doctor").stdout)


if __name__ == "__main__":
    unittest.main()
