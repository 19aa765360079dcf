#!/usr/bin/env python3
"""Build everything, run every test, and say how many passed.

Each preset of CMakePresets.json is configured, built and tested in build/<preset>; its full logs are in
build/<preset>/log. Failures are printed at the end; the last line of the output is "N passed, M failed".
"""

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PRESETS = ["dev", "asan", "tsan", "model"]


@dataclass(frozen=True)
class Part:
    """A part of a preset: some programs, and the tests in them whose names match one pattern and not the other."""

    targets: tuple[str, ...]
    tests: str
    without: str


# What --quick runs: for the time between two edits. The whole suite is for before a commit.
QUICK = {
    "quick": Part(
        ("unit_tests", "conform_tests"),
        r"^(unit|conform)\.",
        r"^conform\.(capi|shared)",
    ),
    "model": Part(("model_tests",), r"^model\.", r"mutant"),
}

EXPLORE = "explore: "
# The explorer's tests run in several builds; a scenario is shown as the last of these saw it.
EXPLORING = ["asan", "dev", "model"]

# Full runs compile each test by itself, which shows that it includes what it uses, and the command line, which has no
# tests there, by clang 14 too.
FULL_SETTINGS = {"tsan": ["-DCMAKE_UNITY_BUILD=OFF", "-DWEFT_BUILD_TOOLS=ON"]}

# Many tests wait, for sleeping workers or for pages: more of them at once leave no CPU idle.
TESTS_PER_JOB = 2

# The last step of a full run: mutants, always the same of one tree. All of them would take hours.
MUTANTS = ["--sample", "100", "--seed", "1"]
PACKAGES_MISSING = 77  # the exit code of tools/mutate

TAIL = 60
# To end what hangs; where others have the CPUs, threads that take turns are a hundred times slower.
TEST_TIMEOUT = 1800
FULL_TEST_TIMEOUT = 7200


@dataclass
class Outcome:
    """What one preset gave."""

    passed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)  # the reason, by test
    failures: list[tuple[str, str]] = field(default_factory=list)  # what, and what it said
    explored: dict[str, list[str]] = field(default_factory=dict)  # by test

    def summary(self) -> str:
        counts = [(self.passed, "passed"), (len(self.skipped), "skipped"), (len(self.failures), "FAILED")]
        return ", ".join(f"{count} {word}" for count, word in counts if count)


class Preset:
    """One build of the tree. The methods return whether they succeeded, and print how long they took."""

    def __init__(self, name: str, environment: dict[str, str], part: Part | None = None):
        self.name = name
        self.part = part
        self.environment = environment
        self.log = ROOT / "build" / name / "log"
        self.log.mkdir(parents=True, exist_ok=True)

    def configure(self, full: bool) -> bool:
        more = FULL_SETTINGS.get(self.name, []) if full else []
        return self.step("configure", ["cmake", "--preset", self.name], more)

    def build(self, jobs: int) -> bool:
        targets = ["--target", *self.part.targets] if self.part else []
        return self.step("build", ["cmake", "--build", "--preset", self.name, "--parallel", str(jobs)], targets)

    def test(self, jobs: int, full: bool) -> bool:
        self.results.unlink(missing_ok=True)
        whole_output = str(1 << 20)
        return self.step(
            "test",
            without_address_randomisation() if self.name == "tsan" else [],
            ["ctest", "--preset", self.name, "--parallel", str(TESTS_PER_JOB * jobs)],
            ["--tests-regex", self.part.tests, "--exclude-regex", self.part.without] if self.part else [],
            ["--timeout", str(FULL_TEST_TIMEOUT if full else TEST_TIMEOUT)],
            ["--output-junit", str(self.results)],
            ["--test-output-size-passed", whole_output, "--test-output-size-failed", whole_output],
        )

    @property
    def results(self) -> Path:
        return self.log / "test.xml"

    def step(self, name: str, *command: list[str]) -> bool:
        return self.exit_code(name, *command) == 0

    def exit_code(self, name: str, *command: list[str]) -> int:
        start = time.monotonic()
        path = self.log / f"{name}.log"
        with open(path, "w") as log:
            process = subprocess.Popen(
                sum(command, []), cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        if sys.stdout.isatty():
            show_progress(process, name, path, start)
        code = process.wait()
        print(f"  {name} {time.monotonic() - start:5.1f} s", end="", flush=True)
        return code

    def log_text(self, step: str) -> str:
        return (self.log / f"{step}.log").read_text(errors="replace")


def show_progress(process: subprocess.Popen, step: str, log: Path, start: float) -> None:
    """Until the process ends: how many steps its log says are done, of how many, and the time, behind the cursor."""
    save, erase_and_restore = "\0337", "\0338\033[K"
    while process.poll() is None:
        seconds = int(time.monotonic() - start)
        print(f"{save}  {step}{done_of_all(log)}, {seconds // 60}:{seconds % 60:02}", end="", flush=True)
        time.sleep(0.2)
        print(erase_and_restore, end="", flush=True)


def done_of_all(log: Path) -> str:
    """What ninja says, "[3/7] Building …", or ctest, " 3/7 Test …"."""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 4096))
        steps = re.findall(r"^(?:\[|\s*)(\d+)/(\d+)(?:\]| Test)", file.read().decode(errors="replace"), re.MULTILINE)
    return f": {steps[-1][0]} of {steps[-1][1]}" if steps else ""


def tail(text: str) -> str:
    return "\n".join(text.splitlines()[-TAIL:])


def without_address_randomisation() -> list[str]:
    """The thread sanitizer of older compilers stops at once where the kernel spreads mappings too widely."""
    prefix = ["setarch", "--addr-no-randomize"]
    try:
        works = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    return prefix if works else []


def weakened_orders(preset: Preset) -> list[tuple[str, str]]:
    """What is wrong if docs/orderings.md does not say what became of the orders that the model tests have weakened."""
    outputs = preset.log / "weakened.log"
    cases = xml.parse(preset.results).getroot().iter("testcase")
    outputs.write_text("".join(case.findtext("system-out") or "" for case in cases))
    check = [sys.executable, "-B", str(ROOT / "tools/checks/orderings.py"), "--weakened", str(outputs)]
    run = subprocess.run(check, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [] if run.returncode == 0 else [("model: the orders that were weakened", run.stdout)]


def run_preset(preset: Preset, jobs: int, full: bool) -> Outcome:
    steps = [("configure", lambda: preset.configure(full)), ("build", lambda: preset.build(jobs))]
    for step, succeeded in steps:
        if not succeeded():
            return Outcome(failures=[(f"{preset.name}: {step}", preset.log_text(step))])

    succeeded = preset.test(jobs, full)
    outcome = read_results(preset)
    if not succeeded and not outcome.failures:
        outcome.failures.append((f"{preset.name}: test", preset.log_text("test")))
    if preset.name == "model" and not preset.part and not outcome.failures:
        outcome.failures += weakened_orders(preset)
    return outcome


def run_mutants(environment: dict[str, str], jobs: int) -> Outcome:
    """Each mutant must be noticed by the tests, with their reduced counts, or argued in docs/mutants.md."""
    reduced = {name: value for name, value in environment.items() if name != "WEFT_FULL"}
    preset = Preset("mutate", reduced)
    code = preset.exit_code("test", [sys.executable, "-B", "tools/mutate", *MUTANTS, "--jobs", str(jobs)])
    if code == 0:
        return Outcome(passed=1)
    if code == PACKAGES_MISSING:
        return Outcome(skipped={"mutants": preset.log_text("test").strip()})
    return Outcome(failures=[("mutate: test", preset.log_text("test"))])


def read_results(preset: Preset) -> Outcome:
    """What ctest's report says. A test that could not be started is a failure; one that skipped itself is not."""
    outcome = Outcome()
    if not preset.results.exists():
        return outcome
    # The report lacks why a test failed (a signal, a timeout); ctest's closing list has it: "  3 - name (reason)".
    _, _, closing_list = preset.log_text("test").rpartition("The following tests FAILED:")
    reasons = dict(re.findall(r"^\s*\d+ - (\S+) \((.+)\)$", closing_list, re.MULTILINE))
    for case in xml.parse(preset.results).getroot().iter("testcase"):
        name, output = case.get("name", ""), case.findtext("system-out") or ""
        kind = name.partition(".")[0]
        single = single_tests(output)
        outcome.passed += sum(test.result == "OK" for test in single)
        outcome.skipped.update({f"{kind}.{test.name}": reason_of_skip(test.output) for test in single if test.result == "SKIPPED"})
        skipped = case.find("skipped")
        if case.get("status") == "run":
            outcome.passed += not single
        elif case.get("status") == "disabled" or (skipped is not None and "SKIP" in skipped.get("message", "")):
            outcome.skipped.setdefault(name, reason_of_skip(output))
        else:
            reason = reasons.get(name, "not run")
            failed = [(f"{kind}.{test.name}", test.output) for test in single if test.result not in ("OK", "SKIPPED")]
            outcome.failures += [(f"{preset.name}: {each} ({reason})", said) for each, said in failed or [(name, output)]]
        lines = [line.removeprefix(EXPLORE) for line in output.splitlines() if line.startswith(EXPLORE)]
        if lines:
            outcome.explored[name] = lines
    return outcome


@dataclass(frozen=True)
class SingleTest:
    """One test of a suite, as GoogleTest tells it."""

    name: str
    result: str  # OK, SKIPPED, FAILED, or empty if it ended the program
    output: str


def single_tests(output: str) -> list[SingleTest]:
    """What each test of a suite said; none if the output is not GoogleTest's."""
    found = []
    for part in re.split(r"^\[ RUN      \] ", output, flags=re.MULTILINE)[1:]:
        name = part.partition("\n")[0]
        result = re.search(rf"^\[ +(OK|SKIPPED|FAILED) +\] {re.escape(name)}(?=[ ,]|$)", part, re.MULTILINE)
        found.append(SingleTest(name, result[1] if result else "", part[: result.end()] if result else part))
    return found


def reason_of_skip(output: str) -> str:
    """What the test said: after "skipped: ", or in GoogleTest's way on the line after the place of GTEST_SKIP."""
    said = re.findall(r"^skipped: (.+)$|: Skipped\n(.+)$", output, re.MULTILINE)
    return "".join(said[-1]) if said else "it did not say why"


def print_skipped(outcomes: dict[str, Outcome]) -> None:
    """Each reason once, with the tests it kept from running."""
    by_reason: dict[str, list[str]] = {}
    for preset, outcome in outcomes.items():
        for test, reason in outcome.skipped.items():
            by_reason.setdefault(reason, []).append(f"{preset}: {test}")
    if by_reason:
        print("\nskipped:")
    for reason, tests in by_reason.items():
        more = f" and {len(tests) - 3} more" if len(tests) > 3 else ""
        print(f"  {reason} ({', '.join(tests[:3])}{more})")


def print_explored(outcomes: dict[str, Outcome]) -> None:
    scenarios: dict[str, list[str]] = {}
    for preset in EXPLORING:
        if preset in outcomes:
            scenarios.update(outcomes[preset].explored)
    if scenarios:
        print("\nexplored:")
    for test in sorted(scenarios):
        for line in scenarios[test]:
            print(f"  {line}")


def print_failures(failures: list[tuple[str, str]]) -> None:
    """The end of what each said, and then their names alone, since the last lines are what a reader sees first."""
    for name, output in failures:
        print(f"\n--- {name}\n{tail(output.strip())}\n---")
    if failures:
        print("\nfailed:")
    for name, _ in failures:
        print(f"  {name}")


def main() -> int:
    options = parse_arguments()
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    # Logs are no terminals, whatever the caller's environment says.
    for colouring in ("CLICOLOR_FORCE", "GTEST_COLOR", "NINJA_STATUS"):
        environment.pop(colouring, None)
    if options.full:
        environment["WEFT_FULL"] = "1"

    start = time.monotonic()
    outcomes: dict[str, Outcome] = {}
    for name in QUICK if options.quick else options.only:
        print(f"{name:8}", end="", flush=True)
        preset = Preset(name, environment, QUICK[name] if options.quick else None)
        outcomes[name] = run_preset(preset, options.jobs, options.full)
        print(f"  {outcomes[name].summary()}", flush=True)
    if options.full and options.only == PRESETS:
        print(f"{'mutate':8}", end="", flush=True)
        outcomes["mutate"] = run_mutants(environment, options.jobs)
        print(f"  {outcomes['mutate'].summary()}", flush=True)
    print_explored(outcomes)
    print_skipped(outcomes)

    passed = sum(outcome.passed for outcome in outcomes.values())
    failures = [failure for outcome in outcomes.values() for failure in outcome.failures]
    print_failures(failures)
    print(f"\n{time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


def parse_arguments() -> argparse.Namespace:
    def presets(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in PRESETS:
                raise argparse.ArgumentTypeError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
        return names

    parser = argparse.ArgumentParser(
        prog="weft test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="full repetition counts instead of the reduced ones; then some mutants")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick", action="store_true", help="only unit, conformance and model tests, each built in one way"
    )
    extent.add_argument(
        "--only", type=presets, default=PRESETS, metavar="PRESET,…", help=f"only these of {', '.join(PRESETS)}"
    )
    parser.add_argument(
        "--jobs", "-j", type=int, default=os.cpu_count() or 1,
        help="parallel compilers; twice as many tests run at once (default: one per CPU)"
    )
    options = parser.parse_args()
    if options.quick and options.full:
        parser.error("--quick and --full exclude each other")
    return options


if __name__ == "__main__":
    sys.exit(main())
