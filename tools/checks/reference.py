"""Doxygen makes the API reference of docs/Doxyfile without a warning: every public entity is documented.

--output says where the reference goes, to be read from html/index.html there, with its names in names.xml; otherwise it is
thrown away.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import clang_tool
from source_tree import Violation, arguments, read, report

TOOL = "doxygen"
FINDING = re.compile(r"^(.+?):(\d+): (?:error|warning): (.*)$")


def findings(root: Path, printed: str) -> list[Violation]:
    """What Doxygen printed. A line that tells no place belongs to the one before, or to the Doxyfile."""
    found: list[Violation] = []
    for line in printed.splitlines():
        if match := FINDING.match(line):
            found.append(Violation(os.path.relpath(match[1], root), int(match[2]), match[3]))
        elif found and line.startswith(" "):
            last = found.pop()
            found.append(last._replace(message=f"{last.message} {line.strip()}"))
        elif line.strip():
            found.append(Violation("docs/Doxyfile", 1, line.strip()))
    return found


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--output", type=Path, help="a folder for the reference")
    options = parser.parse_args()
    tool = clang_tool.find("reference", TOOL)
    with tempfile.TemporaryDirectory() as scratch:
        output = (options.output or Path(scratch)).resolve()
        output.mkdir(parents=True, exist_ok=True)
        settings = f'{read(options.root / "docs/Doxyfile")}\nOUTPUT_DIRECTORY = "{output}"\nGENERATE_TAGFILE = "{output}/names.xml"\n'
        run = subprocess.run([tool, "-"], input=settings, cwd=options.root, capture_output=True, text=True)
        pages = len(list(output.glob("html/*.html")))
    found = findings(options.root, run.stdout + run.stderr)
    if run.returncode and not found:
        found.append(Violation("docs/Doxyfile", 1, f"{TOOL} ended with {run.returncode}"))
    return report("reference", f"{pages} pages", found)


if __name__ == "__main__":
    sys.exit(main())
