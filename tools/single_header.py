#!/usr/bin/env python3
"""weft in one file, for online compilers and small programs.

  tools/single_header.py [FILE]     writes FILE (default: standard output)

The file is everything of <weft/weft.hpp>. In one source of the program, before the include,
  #define WEFT_IMPLEMENTATION
makes it also the library's sources. The C interface, the cluster and the explorer are not in it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOTS = (ROOT / "include", ROOT / "src")
LEFT_OUT = ("capi", "cluster", "explorer")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"].*$')
CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|endif)")


class Bundle:
    """The text so far, and what is in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._inside: set[Path] = set()

    def add(self, path: Path) -> None:
        self._inside.add(path)
        name = path.relative_to(ROOT).as_posix()
        self.lines += ["", f"// {'-' * 20} {name}", ""]
        conditions = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            if condition := CONDITION.match(line):
                conditions += 1 if condition[1] == "if" else -1
            include = INCLUDE.match(line)
            target = find(include[1]) if include else None
            if target in self._inside:
                continue
            if target and conditions:
                # What is first seen under a condition is the explorer, and that is not in this file.
                self.lines.append(f'#error "{include[1]} is not part of the single header"')
            elif target:
                self.add(target)
            elif line != "#pragma once":
                self.lines.append(line)


def find(name: str) -> Path | None:
    return next((root / name for root in ROOTS if (root / name).is_file()), None)


def sources() -> list[Path]:
    return sorted(path for path in (ROOT / "src").glob("*/*.cpp") if path.parent.name not in LEFT_OUT)


def single_header() -> str:
    bundle = Bundle()
    bundle.lines += ["// weft in one file, made by tools/single_header.py.", "//"]
    bundle.lines += [f"// {line}".rstrip() for line in notice()]
    bundle.lines += ["#pragma once"]
    bundle.add(ROOT / "include/weft/weft.hpp")
    bundle.lines += ["", "#ifdef WEFT_IMPLEMENTATION"]
    for path in sources():
        bundle.add(path)
    bundle.lines += ["", "#endif // WEFT_IMPLEMENTATION"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(bundle.lines)) + "\n"


def notice() -> list[str]:
    """What a file that travels alone should say of itself."""
    version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    return [
        f"Version {version[1] if version else 'unknown'}. Licensed under the Apache License, Version 2.0;",
        "see http://www.apache.org/licenses/LICENSE-2.0. It is distributed without warranties of any kind.",
        "",
        "In one source of the program: #define WEFT_IMPLEMENTATION, then #include this file.",
    ]


def main() -> int:
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    if len(sys.argv) == 2:
        Path(sys.argv[1]).write_text(single_header(), encoding="utf-8")
    else:
        sys.stdout.write(single_header())
    return 0


if __name__ == "__main__":
    sys.exit(main())
