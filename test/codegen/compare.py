#!/usr/bin/env python3
"""Compare two assembly files function by function.

usage: compare.py LEFT RIGHT

Both must define the same extern "C" functions, and each pair must consist of the same instructions.
Directives, comments, the numbers of labels, labels nobody jumps to and the names of thread-local variables
do not count.
"""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"^\s*(#|//).*|\s(#|//)\s.*")
LABEL = re.compile(r"^([\w.$]+):")
LOCAL = re.compile(r"\.L[\w.$]+")
THREAD_LOCAL = re.compile(r"(?<=%fs:)\w+")


def functions(assembly: str) -> dict[str, list[str]]:
    """The instructions and labels of each function with a C name."""
    found: dict[str, list[str]] = {}
    body: list[str] = []
    for line in assembly.splitlines():
        line = COMMENT.sub("", line).rstrip()
        label = LABEL.match(line)
        if label and not LOCAL.match(line):
            body = []
            if not label[1].startswith("_Z"):
                found[label[1]] = body
        elif label or (line and not line.lstrip().startswith(".")):
            body.append(THREAD_LOCAL.sub("variable", " ".join(line.split())))
    return {name: normalised(lines) for name, lines in found.items() if lines}


def normalised(body: list[str]) -> list[str]:
    """Drop labels without a use, number the others in the order of their appearance."""
    used = {label for line in body if not LABEL.match(line) for label in LOCAL.findall(line)}
    kept = [line for line in body if not LABEL.match(line) or line.rstrip(":") in used]
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f".L{len(numbers)}")

    return [LOCAL.sub(number, line) for line in kept]


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    left, right = (functions(Path(name).read_text()) for name in sys.argv[1:])
    if not left or not right:
        print("no function found to compare")
        return 1

    differing = [name for name in sorted(left | right) if left.get(name) != right.get(name)]
    for name in differing:
        for file, found in zip(sys.argv[1:], (left, right)):
            print(f"{name} in {file}:")
            print("\n".join(f"    {line}" for line in found.get(name, ["(not defined)"])))
    print(f"{len(left | right)} functions compared, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
