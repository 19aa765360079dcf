"""What the checks share: the files of the tree, their code apart from their comments, their includes."""

import argparse
import bisect
import os
import re
import subprocess
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple

CPP_SUFFIXES = (".hpp", ".cpp", ".h", ".c")
INCLUDE_ROOTS = ("include", "src", "lab")
TEST_INCLUDE_ROOTS = INCLUDE_ROOTS + ("test",)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)

TOKEN = re.compile(
    r"""
      (?P<comment> //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
    | (?P<include> ^[ \t]*\#[ \t]*include[ \t]*(?:<[^>\n]+>|"[^"\n]+") )
    | (?P<literal> (?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
                 | "(?:\\.|[^"\\\n])*"
                 | '(?:\\.|[^'\\\n])*' )
    | \d(?:'?\w)* | [A-Za-z_]\w*    # whole words: 1'000 opens no literal, nor does the R of FOUR"…"
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


class Violation(NamedTuple):
    path: str
    line: int
    message: str


class Include(NamedTuple):
    line: int
    name: str
    angled: bool


class Source:
    """A C++ file as `code` (no comments, literals or includes) and `comments` (nothing else).

    Both are as long as the text: what was taken out is blank, so offsets and lines agree.
    """

    def __init__(self, text: str):
        self._line_starts = [0] + [newline.end() for newline in re.finditer("\n", text)]
        self.includes: list[Include] = []
        code, comments, end = [], [], 0
        for token in TOKEN.finditer(text):
            if token.lastgroup is None:
                continue
            between, taken = text[end : token.start()], token.group()
            code += between, blank(taken)
            comments += blank(between), taken if token["comment"] else blank(taken)
            end = token.end()
            if include := INCLUDE.match(taken):
                line = self.line(token.start())
                self.includes.append(Include(line, include[2], include[1] == "<"))
        self.code = "".join(code) + text[end:]
        self.comments = "".join(comments) + blank(text[end:])

    def line(self, offset: int) -> int:
        """The line number, from 1, of an offset into the text."""
        return bisect.bisect_right(self._line_starts, offset)


def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


# What a checkout ignores, for trees that are none; .gitignore says the same.
NOT_OURS = ("build", ".cache", ".git", "CMakeUserPresets.json", "report.html")  # at the root
MADE = "__pycache__"  # anywhere


def files(root: Path) -> list[str]:
    """Every file of the project, as a path from the root: tracked or about to be, never built."""
    names = files_of_checkout(root)
    if names is None:
        names = files_of_folder(root)
    return sorted({n for n in names if not n.startswith("build/") and (root / n).is_file()})


def files_of_checkout(root: Path) -> list[str] | None:
    """What git lists; None where there is no git, or the tree is not one that it accepts as a checkout."""
    if not (root / ".git").exists():
        return None
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        listing = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return listing.stdout.split("\0") if listing.returncode == 0 else None


def files_of_folder(root: Path) -> list[str]:
    """What is below the root, without entering the folder of builds, where other tests may be at work."""
    names = []
    for folder, folders, contents in os.walk(root):
        if folder == str(root):
            folders[:] = [name for name in folders if name not in NOT_OURS]
            contents = [name for name in contents if name not in NOT_OURS]
        folders[:] = [name for name in folders if name != MADE]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in contents]
    return names


def cpp_files(root: Path, folders: Iterable[str] = ("",)) -> Iterator[tuple[str, Source]]:
    """The C++ files below the folders (each ends in '/'), parsed."""
    for name in files(root):
        if name.endswith(CPP_SUFFIXES) and name.startswith(tuple(folders)):
            yield name, Source(read(root / name))


def resolve(root: Path, includer: str, name: str, angled: bool,
            include_roots: Iterable[str] | None = None) -> str | None:
    """The project file that an include in `includer` reaches; None for a system header."""
    if include_roots is None:
        include_roots = TEST_INCLUDE_ROOTS if includer.startswith("test/") else INCLUDE_ROOTS
    beside = [] if angled else [os.path.dirname(includer)]
    for folder in [*beside, *include_roots]:
        path = os.path.normpath(os.path.join(folder, name))
        if (root / path).is_file():
            return path
    return None


def arguments(description: str | None) -> argparse.ArgumentParser:
    """A parser that knows --root; the default root is the repository of this script."""
    parser = argparse.ArgumentParser(description=description)
    repository = Path(__file__).resolve().parents[2]
    parser.add_argument("--root", type=lambda name: Path(name).resolve(), default=repository)
    return parser


def report(check: str, checked: str, violations: Iterable[Violation]) -> int:
    """Prints the violations, or one line of summary; the exit code."""
    found = sorted(set(violations))
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    if not found:
        print(f"{check}: {checked}, no violation")
    return 1 if found else 0
