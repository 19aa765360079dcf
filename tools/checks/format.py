"""Every C++ file is as clang-format would write it; --fix rewrites those that are not."""

import re
import subprocess
import sys
from pathlib import Path

import clang_tool
from source_tree import CPP_SUFFIXES, Violation, arguments, files, report

TOOL = "clang-format-19"
DIFFERENCE = re.compile(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", re.MULTILINE)


MOST_TOGETHER = 32  # files that one process reads: it takes longer to start than to read a file


def first_differences(tool: str, root: Path, paths: list[str]) -> list[Violation]:
    command = [tool, "--style=file:.clang-format", "--dry-run", *paths]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if run.returncode:
        return [Violation(paths[0], 1, " ".join(run.stderr.split()))]
    first: dict[str, int] = {}
    for path, line in DIFFERENCE.findall(run.stderr):
        first.setdefault(path, int(line))
    return [Violation(path, line, "not formatted") for path, line in first.items()]


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite what is not formatted")
    options = parser.parse_args()
    root, tool = options.root, clang_tool.find("format", TOOL)
    if not (root / ".clang-format").is_file():
        clang_tool.give_up("format", f"{root} has no .clang-format")
    names = [name for name in files(root) if name.endswith(CPP_SUFFIXES)]
    if options.fix and names:
        subprocess.run([tool, "--style=file:.clang-format", "-i", *names], cwd=root, check=True)
    parts = [names[first : first + MOST_TOGETHER] for first in range(0, len(names), MOST_TOGETHER)]
    found = clang_tool.in_parallel(lambda part: first_differences(tool, root, part), parts)
    return report("format", f"{len(names)} files", sum(found, []))


if __name__ == "__main__":
    sys.exit(main())
