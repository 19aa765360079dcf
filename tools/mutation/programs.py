"""The test programs that have mutants in them: a copy of the tree, its builds, and runs of single mutants."""

import fnmatch
import math
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from places import Place, mutate

# Which tests may notice a change in a folder, as patterns of paths below test/. Of these, only the tests that reach a
# place are run for it.
TESTS = {
    "pool": ["unit/pool/*", "model/pool/*", "fault/*", "misuse/*", "conform/cpp/pool*", "conform/cpp/post_*",
             "conform/cpp/blocking_*", "conform/cpp/fairness_*", "conform/cpp/work_source_*", "conform/cpp/multi_stealing_*",
             "conform/cpp/join_*", "conform/cpp/fork_join*", "conform/cpp/future_*", "conform/cpp/unrun_*"],
    "fork_join": ["unit/fork_join/*", "model/fork_join/*", "fault/*", "misuse/*", "conform/cpp/fork_join*",
                  "conform/cpp/join_*", "conform/cpp/future*", "conform/cpp/task_group_*", "conform/cpp/when_*",
                  "conform/cpp/shared_*", "conform/cpp/post_*", "conform/cpp/unrun_*", "model/pool/*", "conform/cpp/resource*"],
    "graph": ["unit/graph/*", "model/graph/*", "fault/memory/graph_*", "misuse/*", "conform/cpp/graph*",
              "conform/cpp/countdown_*"],
    "timer": ["unit/timer/*", "unit/pool/sleep_*", "model/timer/*", "fault/memory/timer_*", "conform/cpp/timer_*"],
    "contract": ["unit/contract/*", "model/contract/*", "fault/*", "conform/cpp/contract*", "conform/cpp/fairness_*"],
    "resource": ["unit/resource/*", "model/resource/*", "fault/*", "misuse/*", "conform/cpp/resource*",
                 "conform/cpp/unrun_*"],
    "lockfree": ["unit/lockfree/*", "model/lockfree/*", "model/pool/*", "model/contract/*", "conform/cpp/pool*",
                 "conform/cpp/contract*", "conform/cpp/fork_join*", "conform/cpp/future_*"],
    "algorithm": ["unit/algorithm/*", "conform/cpp/algorithm_*", "fault/memory/algorithm_*"],
    "capi": ["conform/capi/*", "fault/*"],
}
# The kinds of tests, each a program of a preset: with the address sanitizer, which sees memory that a mutant leaks or uses
# too long. The public contract in C has no GoogleTest.
KINDS = {"unit": "asan", "model": "model", "misuse": "asan", "fault": "asan", "conform": "asan", "capi": "asan"}
SETTINGS = ["-DWEFT_WERROR=OFF", "-DWEFT_BUILD_TOOLS=OFF", "-DWEFT_BUILD_EXAMPLES=OFF", "-DWEFT_INSTALL=OFF"]
# Optimised, since some tests need small frames.
MORE_SETTINGS = {"asan": ["-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCMAKE_C_FLAGS_DEBUG=-O1"], "model": []}
NOT_RUN = "*mutant*"  # of the model tests: they weaken orders, which is another kind of mutant

SWITCH_PATH = "include/weft/mutant_switch.hpp"
SWITCH = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace weft_mutant {
inline const int chosen = [] {
    const char* number = std::getenv("WEFT_MUTANT");
    return number != nullptr ? std::atoi(number) : 0;
}();
inline unsigned char* reached = nullptr; // a byte for each mutant, while it is recorded which places a test reaches
constexpr bool active(int number) noexcept {
    if (std::is_constant_evaluated()) return false;
    if (reached != nullptr && __atomic_load_n(reached + number, __ATOMIC_RELAXED) == 0) {
        __atomic_store_n(reached + number, 1, __ATOMIC_RELAXED);
    }
    return number == chosen;
}
} // namespace weft_mutant
"""

# Ends the program when one test takes too long. Besides, it writes a line for each test: its name, whether it passed or was
# skipped, its milliseconds, its file, and the places that it reached. A name alone is that of a test that ended the program.
# The memory is a file, shared with child processes, also with the program that a death test starts.
RECORDER_NAME = "mutant_recorder.cpp"
RECORDER = """#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <weft/mutant_switch.hpp>
#include <cstring>
#include <fstream>
#include <string>
namespace {
constexpr std::size_t mutant_count = 1 << 16;
class mutant_recorder : public testing::EmptyTestEventListener {
public:
    explicit mutant_recorder(const char* path) : lines_{path, std::ios::app} {
        const int file = ::open((std::string{path} + ".places").c_str(), O_RDWR | O_CREAT, 0600);
        if (file < 0 || ::ftruncate(file, mutant_count) != 0) std::abort();
        weft_mutant::reached = static_cast<unsigned char*>(
            ::mmap(nullptr, mutant_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        ::close(file);
    }
    void OnTestStart(const testing::TestInfo& test) override {
        if (!testing::GTEST_FLAG(internal_run_death_test).empty()) return; // its parent writes
        lines_ << '\\n' << test.test_suite_name() << '.' << test.name() << std::flush;
        std::memset(weft_mutant::reached, 0, mutant_count);
    }
    void OnTestEnd(const testing::TestInfo& test) override {
        const std::string file = test.file();
        lines_ << ' ' << !test.result()->Failed() << ' ' << test.result()->elapsed_time() << ' '
               << file.substr(file.rfind("/test/") + 1);
        for (std::size_t i = 0; i < mutant_count; ++i) {
            if (weft_mutant::reached[i] != 0) lines_ << ' ' << i;
        }
        lines_ << std::flush;
    }
private:
    std::ofstream lines_;
};
class mutant_watchdog : public testing::EmptyTestEventListener {
public:
    explicit mutant_watchdog(unsigned seconds) : seconds_{seconds} {}
    void OnTestStart(const testing::TestInfo&) override { ::alarm(seconds_); }
    void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }
private:
    unsigned seconds_;
};
const bool mutant_recording = [] {
    if (const char* limit = std::getenv("WEFT_TEST_SECONDS")) {
        const auto seconds = static_cast<unsigned>(std::atoi(limit));
        testing::UnitTest::GetInstance()->listeners().Append(new mutant_watchdog{seconds});
    }
    const char* path = std::getenv("WEFT_REACHED");
    if (path == nullptr) return false;
    testing::UnitTest::GetInstance()->listeners().Append(new mutant_recorder{path});
    return true;
}();
} // namespace
"""

ERROR = re.compile(r"^(?:In file included from )?(\S+?):(\d+):(?:\d+:)? (?:fatal )?error:", re.MULTILINE)
MOST_MEMORY = 4 << 30
# A test may take this many seconds, and this many times what it takes without a mutant.
BASE_PATIENCE = 10.0
PATIENCE = 10
QUICK_TEST = 0.1  # seconds; these are run first


class Failure(Exception):
    """Something that is no mutant's fault."""


@dataclass
class Test:
    name: str
    seconds: float
    source: str  # its file
    reached: set[int]


@dataclass
class Program:
    kind: str
    path: Path
    tests: list[Test] = field(default_factory=list)

    def command(self, names: list[str]) -> list[str]:
        return [str(self.path), "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + ":".join(names)]


class Copy:
    """A copy of the tree in which the places are switchable, and its builds."""

    def __init__(self, root: Path, folder: Path, files: list[str], places: list[Place]):
        self.root, self.folder, self.places = root, folder, places
        for number, place in enumerate(places, 1):
            place.number = number  # it stays when others are refused, so that little is compiled again
        self.parts = {part_of(place.path) for place in places}
        # Everything but the tests of other parts; their headers may be used by ours.
        self.files = [name for name in files if self.is_test(name) or not kind_of(name) or name.endswith(".c")]
        self.kinds = [kind for kind in KINDS if any(kind == kind_of(name) for name in files if self.is_test(name))]

    def is_test(self, name: str) -> bool:
        """Whether it may notice these mutants."""
        return any(may_notice(name, part) for part in self.parts)

    def write(self) -> None:
        """Files that stay as they are keep their times, so that little is compiled again."""
        by_path: dict[str, list[Place]] = {}
        for place in self.places:
            by_path.setdefault(place.path, []).append(place)
        texts: dict[str, str | bytes] = {SWITCH_PATH: SWITCH}
        for kind in self.kinds:
            texts[f"test/{kind}/{RECORDER_NAME}"] = RECORDER
        if "capi" in self.kinds:
            del texts[f"test/capi/{RECORDER_NAME}"]
        for name in self.files:
            if name in by_path:
                text = (self.root / name).read_text()
                texts[name] = "#include <weft/mutant_switch.hpp>\n" + mutate(text, by_path[name])
            else:
                texts[name] = (self.root / name).read_bytes()
        for old in self.folder.rglob("*"):
            name = str(old.relative_to(self.folder))
            if old.is_file() and name not in texts and not name.startswith("build/"):
                old.unlink()
        for name, text in texts.items():
            write_if_changed(self.folder / name, text if isinstance(text, bytes) else text.encode())
            if (self.root / name).exists():
                shutil.copymode(self.root / name, self.folder / name)

    def build(self, jobs: int) -> list[Place]:
        """Builds the programs without the mutants that do not compile, which are returned."""
        refused: list[Place] = []
        while True:
            self.write()
            output = "".join(self.build_preset(preset, jobs) for preset in sorted({KINDS[kind] for kind in self.kinds}))
            if not output:
                return refused
            wrong = self.places_of_errors(output)
            if not wrong:
                raise Failure("the copy does not compile:\n" + "\n".join(output.splitlines()[-60:]))
            refused += wrong
            self.places = [place for place in self.places if place not in wrong]

    def build_preset(self, preset: str, jobs: int) -> str:
        """What the compiler said, if it failed."""
        targets = [f"{kind}_tests" for kind in self.kinds if KINDS[kind] == preset]
        configure = ["cmake", "--preset", preset, *SETTINGS, *MORE_SETTINGS[preset]]
        build = ["cmake", "--build", f"build/{preset}", "--parallel", str(jobs), "--target", *targets, "--", "-k", "0"]
        for command in (configure, build):
            run = subprocess.run(command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if run.returncode != 0:
                return run.stdout
        return ""

    def places_of_errors(self, output: str) -> list[Place]:
        lines = set()
        for path, line in ERROR.findall(output):
            name = os.path.relpath(os.path.join(self.folder / "build" / "any", path), self.folder)
            lines.add((name, int(line) - 1))  # the switch is included on a line of its own
        return [place for place in self.places
                if any((place.path, line) in lines for line in range(place.line, place.last_line + 1))]

    def programs(self) -> list[Program]:
        found = []
        for kind in self.kinds:
            folder = "test/conform/capi" if kind == "capi" else "test"
            found.append(Program(kind, self.folder / "build" / KINDS[kind] / folder / f"{kind}_tests"))
        return found


def part_of(path: str) -> str:
    """The folder in src of a source, or of a header of it: src/pool/x.cpp and include/weft/detail/pool/x.hpp are pool."""
    found = re.match(r"(?:src|include/weft/detail)/(\w+)/", path)
    return found[1] if found else ""


def may_notice(test: str, part: str) -> bool:
    """Whether the table says so, of a test's file and a part."""
    return any(fnmatch.fnmatch(test, f"test/{pattern}") for pattern in TESTS[part])


def kind_of(name: str) -> str:
    """The kind of a test's source; empty for other files."""
    if name.startswith("test/conform/capi/") and name.endswith(".c"):
        return "capi"
    parts = name.split("/")
    is_test = parts[0] == "test" and parts[1] != "support" and name.endswith(".cpp")
    return parts[1] if is_test else ""


def write_if_changed(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def observe(program: Program, folder: Path) -> list[str]:
    """Runs all tests without a mutant, and notes what each reaches. Those that fail are returned, and not used."""
    finished_record = folder / f"{program.kind}.reached"
    if is_newer(finished_record, program.path):
        program.tests, failed = read_record(finished_record.read_text())
        return failed
    record = folder / f"{program.kind}.unfinished"
    record.unlink(missing_ok=True)
    if program.kind == "capi":
        start = time.monotonic()
        names = subprocess.run([str(program.path)], capture_output=True, text=True, check=True).stdout.split()
        failed = [name for name in names if fails([str(program.path), name], 0, [Test(name, 60, "", set())])]
        mean = (time.monotonic() - start) / max(len(names), 1)
        ends = [f"{name} 0" if name in failed else f"{name} 1 {mean * 1000:.0f} test/conform/capi" for name in names]
        finished_record.write_text("\n".join(ends))
        program.tests, failed = read_record(finished_record.read_text())
        return failed
    environment = dict(os.environ, WEFT_REACHED=str(record), WEFT_MUTANT="0")
    finished: list[str] = []
    while True:  # until no test ends the program
        command = [str(program.path), "--gtest_brief=1", "--gtest_filter=-" + ":".join([NOT_RUN, *finished])]
        run = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = record.read_text() if record.exists() else ""
        program.tests, failed = read_record(text)
        before, finished = finished, [test.name for test in program.tests] + failed
        if run.returncode in (0, 1):
            record.replace(finished_record)
            return failed
        if len(finished) == len(before):
            raise Failure(f"{program.path} fails without a mutant:\n{run.stdout[-3000:]}")


def is_newer(record: Path, program: Path) -> bool:
    return record.exists() and record.stat().st_mtime_ns > program.stat().st_mtime_ns


def read_record(text: str) -> tuple[list[Test], list[str]]:
    tests, failed = [], []
    for line in text.splitlines():
        words = line.split()
        if words[1:2] == ["1"]:
            tests.append(Test(words[0], int(words[2]) / 1000, words[3], {int(number) for number in words[4:]}))
        elif words:
            failed.append(words[0])
    return tests, failed


def outcome(place: Place, programs: list[Program]) -> str:
    """killed, timed out, survived or not reached, by the tests that belong to the place's part."""
    part = part_of(place.path)
    runs = []  # the command, and the tests in it
    for program in programs:
        if program.kind == "capi":
            cases = program.tests if part == "capi" else []
            runs += [([str(program.path), test.name], [test]) for test in cases]
            continue
        reaching = [test for test in program.tests if place.number in test.reached and may_notice(test.source, part)]
        for quick in (True, False):
            if tests := [test for test in reaching if (test.seconds <= QUICK_TEST) == quick]:
                runs.append((program.command([test.name for test in tests]), tests))
    runs.sort(key=lambda each: sum(test.seconds for test in each[1]))  # the quickest may be enough
    for command, tests in runs:
        if end := fails(command, place.number, tests):
            return end
    return "survived" if runs else "not reached"


def fails(command: list[str], number: int, tests: list[Test]) -> str:
    """With this mutant on: "killed" if the program fails or takes all memory, "timed out" if it hangs, else nothing."""
    limit = BASE_PATIENCE + PATIENCE * max(test.seconds for test in tests)
    environment = dict(os.environ, WEFT_MUTANT=str(number), WEFT_TEST_SECONDS=str(math.ceil(limit)))
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    program = subprocess.Popen(command, env=environment, start_new_session=True, **quiet)
    end = time.monotonic() + limit + PATIENCE * sum(test.seconds for test in tests)
    try:
        while True:
            try:
                code = program.wait(0.2)
                if code == -signal.SIGALRM:
                    return "timed out"
                return "" if code in (0, 77) else "killed"  # 77: a skipped case of the C interface
            except subprocess.TimeoutExpired:
                if time.monotonic() > end:
                    return "timed out"
                if memory_of(program.pid) > MOST_MEMORY:
                    return "killed"
    finally:
        try:
            os.killpg(program.pid, signal.SIGKILL)  # and what it has started
        except ProcessLookupError:
            pass
        program.wait()


def memory_of(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
