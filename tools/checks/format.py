"""Every C++ file is as clang-format would write it; --fix rewrites those that are not."""

import re
import subprocess
import sys
from pathlib import Path

import clang_tool
from source_tree import CPP_SUFFIXES, Violation, arguments, files, report

TOOL = "clang-format-19"
DIFFERENCE = re.compile(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", re.MULTILINE)


def first_difference(tool: str, root: Path, path: str) -> Violation | None:
    command = [tool, "--style=file:.clang-format", "--dry-run", path]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if run.returncode:
        return Violation(path, 1, " ".join(run.stderr.split()))
    found = DIFFERENCE.search(run.stderr)
    return Violation(path, int(found[2]), "not formatted") if found else None


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
    found = clang_tool.in_parallel(lambda name: first_difference(tool, root, name), names)
    return report("format", f"{len(names)} files", filter(None, found))


if __name__ == "__main__":
    sys.exit(main())
