"""clang-tidy finds nothing in the .cpp files of a build; files that have not changed are not read again.

A file that passed leaves a stamp in <build>/tidy-cache/, named after everything the verdict depends on: the text of the
file and of the project headers it reaches, every .clang-tidy, which checks are left out, how it is compiled, and the
version of clang-tidy.

Nearly all of the time goes into headers. So files that are compiled alike are read together, by one file that includes
them; this takes a fifth of the time. If that finds anything, each of them is read alone, and only that counts: names of
one file may clash with those of another. A few checks see only the file they are started on (unused using declarations,
for example), so full runs read every file alone.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import clang_tool
from source_tree import INCLUDE, Violation, arguments, files, read, report, resolve

TOOL = "clang-tidy-19"

# Options of g++ that clang does not understand; a flag lets unknown warnings pass.
GCC_ONLY = re.compile(r"-fmodules-ts|-fmodule-mapper=.*|-fdeps-format=.*|-fconcepts-diagnostics-depth=.*"
                      r"|-fanalyzer|-fno-gnu-unique|-fhardened")
FOR_CLANG = ["-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"]
# Together, a local name may hide a name of another file; g++ warns of those that are hidden in one file.
TOGETHER = ["-Wno-shadow"]

# GoogleTest's macros and the peers' headers keep the analyser busy for minutes; tests have the compilers'
# warnings and the sanitizers, benchmarks and the acts of the demonstration the warnings and their results.
NOT_READ = ("test/", "bench/", "demo/acts/")
# So do those of the command line's libraries; examples are short, and all of the library is read again for each; and
# the analyser takes twice as long as all other checks. These are for full runs.
FULL = "WEFT_FULL" in os.environ
if not FULL:
    NOT_READ += ("tools/", "demo/", "examples/")
CHECKS = [] if FULL else ["--checks=-clang-analyzer-*"]
MOST_TOGETHER = 1 if FULL else 16  # files; more would leave the other core idle at the end

FINDING = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): (.*?)(,-warnings-as-errors)?(\])?$")


class Build:
    """The project's .cpp files in compile_commands.json, with the commands cleaned for clang."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder, self.cache = root, folder, folder / "tidy-cache"
        self.commands: dict[str, list[dict]] = defaultdict(list)
        names = set(files(root))
        for entry in json.loads(read(folder / "compile_commands.json")):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
            if path in names and path.endswith(".cpp") and not path.startswith(NOT_READ):
                words = entry.get("arguments") or shlex.split(entry["command"])
                kept = [word for word in words if not GCC_ONLY.fullmatch(word)]
                self.commands[path].append(
                    {"directory": entry["directory"], "file": entry["file"], "arguments": kept})
        configuration = sorted(name for name in names if Path(name).name == ".clang-tidy")
        self._common = [name + read(root / name) for name in configuration]

    def write_commands(self, groups: list["Group"]) -> None:
        self.cache.mkdir(exist_ok=True)
        entries = [entry for entries in self.commands.values() for entry in entries]
        entries += [group.command(self) for group in groups if group.together]
        (self.cache / "compile_commands.json").write_text(json.dumps(entries, indent=1))

    def groups(self, paths: list[str]) -> list["Group"]:
        """Files that are compiled alike, few enough to be read together."""
        alike: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            alike[json.dumps([flags(entry) for entry in self.commands[path]])].append(path)
        return [Group(tuple(each[first : first + MOST_TOGETHER]))
                for each in alike.values() for first in range(0, len(each), MOST_TOGETHER)]

    def key(self, path: str, version: str) -> str:
        commands = self.commands[path]
        texts = [version, *CHECKS, *self._common, json.dumps(commands)]
        roots = tuple(dict.fromkeys(folder for entry in commands for folder in self._roots(entry)))
        texts += [name + read_once(self.root / name) for name in self._reached(path, roots)]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()

    def _roots(self, entry: dict) -> list[str]:
        """The include folders of a command that are in the project."""
        flags = re.findall(r"(?:^|\0)-(?:I|isystem|iquote)\0?([^\0]+)", "\0".join(entry["arguments"]))
        folders = [os.path.relpath(os.path.join(entry["directory"], flag), self.root) for flag in flags]
        return [folder for folder in folders if not folder.startswith("..")]

    def _reached(self, path: str, roots: tuple[str, ...]) -> list[str]:
        reached, ahead = {path}, [path]
        while ahead:
            current = ahead.pop()
            for bracket, name in includes_once(self.root / current):
                target = resolve_once(self.root, current, name, bracket == "<", roots)
                if target and target not in reached:
                    reached.add(target)
                    ahead.append(target)
        return sorted(reached)


@dataclass(frozen=True)
class Group:
    paths: tuple[str, ...]

    @property
    def together(self) -> bool:
        return len(self.paths) > 1

    def file(self, build: Build) -> Path:
        name = hashlib.sha256("\0".join(self.paths).encode()).hexdigest()[:16]
        return build.cache / f"{name}.cpp"

    def write(self, build: Build) -> None:
        lines = [f'#include "{build.root / path}" // NOLINT(bugprone-suspicious-include)\n' for path in self.paths]
        self.file(build).write_text("".join(lines))

    def command(self, build: Build) -> dict:
        """As the first of them is compiled."""
        entry = build.commands[self.paths[0]][0]
        source = str(self.file(build))
        arguments = [source if word == entry["file"] else word for word in entry["arguments"]] + TOGETHER
        return {"directory": entry["directory"], "file": source, "arguments": arguments}


def flags(entry: dict) -> list[str]:
    """How a file is compiled, apart from its name and those of what is made of it."""
    words, kept = iter(entry["arguments"]), []
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(words, None)
        elif word != entry["file"]:
            kept.append(word)
    return kept


read_once = cache(read)
resolve_once = cache(resolve)


@cache
def includes_once(path: Path) -> list[tuple[str, str]]:
    return INCLUDE.findall(read_once(path))


def findings(tool: str, build: Build, file: Path) -> list[Violation]:
    extra = [f"--extra-arg={flag}" for flag in FOR_CLANG]
    command = [tool, "-p", build.cache, "--quiet", "--warnings-as-errors=*", *CHECKS, *extra, file]
    # from the root, since clang-tidy looks for its HeaderFilterRegex where it is started
    run = subprocess.run(command, cwd=build.root, capture_output=True, text=True)
    found = []
    for match in filter(None, map(FINDING.match, run.stdout.splitlines())):
        place = os.path.relpath(match[1], build.root) if os.path.isabs(match[1]) else match[1]
        found.append(Violation(place, int(match[2]), match[3] + (match[5] or "")))
    if run.returncode and not found:
        found.append(Violation(os.path.relpath(file, build.root), 1, " ".join((run.stdout + run.stderr).split())))
    return found


class Reader:
    """Reads groups, and leaves stamps for the files that passed."""

    def __init__(self, tool: str, build: Build, stamps: dict[str, Path]):
        self._tool, self._build, self._stamps = tool, build, stamps
        self.alone = 0  # files of groups that were read one by one

    def read(self, group: Group) -> list[Violation]:
        if not group.together:
            return self._read_alone(group.paths[0])
        group.write(self._build)
        if not findings(self._tool, self._build, group.file(self._build)):
            for path in group.paths:
                self._stamps[path].touch()
            return []
        self.alone += len(group.paths)
        return sum(clang_tool.in_parallel(self._read_alone, group.paths), [])

    def _read_alone(self, path: str) -> list[Violation]:
        found = findings(self._tool, self._build, self._build.root / path)
        if not found:
            self._stamps[path].touch()
        return found


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--build", default="build/dev", help="a configured build folder")
    options = parser.parse_args()
    tool, folder = clang_tool.find("tidy", TOOL), options.root / options.build
    if not (folder / "compile_commands.json").is_file():
        clang_tool.give_up("tidy", f"{folder} has no compile_commands.json; configure it first")
    version = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    build = Build(options.root, folder)
    stamps = {path: build.cache / build.key(path, version) for path in build.commands}
    stale = [path for path, stamp in stamps.items() if not stamp.exists()]
    groups = build.groups(stale)
    build.write_commands(groups)
    reader = Reader(tool, build, stamps)
    found = clang_tool.in_parallel(reader.read, groups)
    alone = f" ({reader.alone} of them alone, since together they clash)" if reader.alone else ""
    return report("tidy", f"{len(stale)} files checked{alone}, {len(stamps) - len(stale)} cached", sum(found, []))


if __name__ == "__main__":
    sys.exit(main())
