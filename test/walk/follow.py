"""Follows a page of docs/ as it is written: types its commands, saves its files, compares what is printed.

  ```sh                       is run, in the folder where the block before has ended
  <!-- not run --> ```sh      is not: it needs root, or a network
  <!-- file: NAME --> ```     is saved under that name, <!-- append: NAME --> added to its end
  <!-- prints --> ```text     is all that the commands before have printed

The marks stand above the block, one in a line. The page begins in an empty folder, but for the repository, as `weft`.
A folder that is always the same lets ccache know what was compiled there before.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<marks>(?:^<!-- [^\n]* -->\n)*)^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (?P<name>[a-z ]+?)(?:: (?P<value>.*?))? -->")


class Walk:
    def __init__(self, page: str, start: Path, environment: dict[str, str]):
        self.page, self.folder, self.environment = page, start, environment
        self.printed: str | None = None
        self.commands = self.files = 0

    def fail(self, offset: int, message: str) -> None:
        line = self.page.count("\n", 0, offset) + 1
        sys.exit(f"line {line}: {message}")

    def run(self, offset: int, commands: str) -> None:
        where = self.folder / ".where"
        script = f"set -e\n{commands}\npwd > '{where}'\n"
        run = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            self.fail(offset, f"ended with {run.returncode}:\n{commands}{run.stdout}")
        self.folder = Path(where.read_text().strip())
        where.unlink()
        self.printed = run.stdout
        self.commands += len(commands.splitlines())

    def save(self, name: str, text: str, mode: str) -> None:
        with open(self.folder / name, mode, encoding="utf-8") as file:
            file.write(text)
        self.files += 1

    def step(self, block: re.Match) -> None:
        marks = {mark["name"]: mark["value"] for mark in MARK.finditer(block["marks"])}
        text, offset = block["text"], block.start("text")
        if "file" in marks:
            self.save(marks["file"], text, "w")
        elif "append" in marks:
            self.save(marks["append"], text, "a")
        elif "prints" in marks:
            if self.printed != text:
                self.fail(offset, f"told: {text!r}, printed: {self.printed!r}")
        elif block["language"] == "sh" and "not run" not in marks:
            self.run(offset, text)
        elif block["language"] != "sh":
            self.fail(offset, f"nothing says what to do with this {block['language']} block")


def environment() -> dict[str, str]:
    launcher = {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
    return {**(launcher if shutil.which("ccache") else {}), **os.environ}


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} PAGE FOLDER")
    page, start = Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2]).resolve()
    shutil.rmtree(start, ignore_errors=True)
    start.mkdir(parents=True)
    (start / "weft").symlink_to(ROOT)
    walk = Walk(page, start, environment())
    for block in BLOCK.finditer(page):
        walk.step(block)
    print(f"{walk.commands} commands, {walk.files} files: all as told")
    return 0 if walk.commands and walk.files else 1


if __name__ == "__main__":
    sys.exit(main())
