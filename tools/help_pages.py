#!/usr/bin/env python3
"""Compare the pages in tools/help with what the programs print, or write them.

./weft prints these pages, so that help needs no program. A page for each command, weft-net-space.txt for "weft net space".
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
FOLDER = TOOLS / "help"


def printed(*command: str) -> str:
    environment = dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run([*command, "--help"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def pages_of(program: str, names: tuple[str, ...] = ()) -> dict[str, str]:
    """The page of a command and those of its subcommands."""
    page = printed(program, *names)
    found = {"-".join(("weft", *names)): page}
    _, _, commands = page.partition("\nCommands:\n")
    for name in re.findall(r"^  (\w+)  ", commands.partition("\n\n")[0], re.MULTILINE):
        found |= pages_of(program, (*names, name))
    return found


def all_pages(program: str, bench: str) -> dict[str, str]:
    pages = pages_of(program)
    pages["weft-bench"] = printed(bench)
    pages["weft-test"] = printed(sys.executable, str(TOOLS / "test.py"))
    pages["weft-cluster"] = printed(sys.executable, str(TOOLS / "cluster"))
    pages["weft-mutate"] = printed(sys.executable, str(TOOLS / "mutate"))
    return pages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the pages instead")
    parser.add_argument("program", help="the command line")
    parser.add_argument("bench", help="the benchmarks' program")
    options = parser.parse_args()

    pages = {f"{name}.txt": page for name, page in all_pages(options.program, options.bench).items()}
    kept = {file.name: file.read_text() for file in FOLDER.glob("*.txt")}
    if options.write:
        FOLDER.mkdir(exist_ok=True)
        for name in kept.keys() - pages.keys():
            (FOLDER / name).unlink()
        for name, page in pages.items():
            (FOLDER / name).write_text(page)
        return 0
    wrong = sorted(name for name in pages.keys() | kept.keys() if pages.get(name) != kept.get(name))
    for name in wrong:
        print(f"tools/help/{name} is not what the program prints; tools/help_pages.py --write writes it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
