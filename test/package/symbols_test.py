"""A shared library shows what the headers mark with WEFT_API, and nothing else of weft.

symbols_test.py <nm> <library> <source folder>

Shown are also instances of the standard library's templates: it marks them itself, and every library has some.
"""

import re
import subprocess
import sys
from pathlib import Path

MARKED_CLASS = re.compile(r"^ *(?:class|struct)(?: alignas\(\d+\))? WEFT_API (\w+)", re.MULTILINE)
OPENED_CLASS = re.compile(r"^(?:class|struct)(?: \w+\(\d+\))?(?: WEFT_API)? (\w+)[^;]*$")
FUNCTION = re.compile(r"\b(\w+)\(")
SHOWN_PART = re.compile(r"#pragma GCC visibility push\(default\)(.*?)#pragma GCC visibility pop", re.DOTALL)
ABOUT = re.compile(r"^(?:(?:typeinfo|typeinfo name|vtable|VTT|guard variable|TLS (?:init|wrapper) function) for )")
IN_C = {"thread_pool_new", "thread_pool_shutdown_and_destroy", "thread_pool_submit", "future_get", "future_free"}


def marked(source: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """Classes that are marked as a whole; functions, each with its class or "" before it."""
    classes, functions = set(), set()
    for header in [*source.glob("include/**/*.hpp"), *source.glob("src/*/*.hpp")]:
        text, inside = header.read_text(), ""
        classes.update(MARKED_CLASS.findall(text))
        for part in SHOWN_PART.findall(text):
            functions.update(("", name) for name in FUNCTION.findall(part))
        # A long declaration has its name on the next line.
        for line in re.sub(r"^(\[\[nodiscard\]\] WEFT_API [^(;{\n]*)\n", r"\1 ", text, flags=re.MULTILINE).splitlines():
            if opened := OPENED_CLASS.match(line):
                inside = opened[1]
            elif line.startswith("};"):
                inside = ""
            elif "WEFT_API " in line and (named := FUNCTION.search(line.split("WEFT_API ", 1)[1])):
                functions.add((inside, named[1]))
    return classes, functions


def path_of(symbol: str) -> list[str]:
    """weft::pool::stop(weft::on_stop) is weft, pool, stop."""
    name = ABOUT.sub("", symbol).replace("[abi:cxx11]", "")
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name.split("(")[0].split(" ")[-1].split("::")


def main() -> int:
    nm, library, source = sys.argv[1:]
    classes, functions = marked(Path(source))
    listed = subprocess.run([nm, "--dynamic", "--defined-only", "--demangle", library],
                            check=True, capture_output=True, text=True).stdout
    symbols = [line.split(" ", 2)[1:] for line in listed.splitlines()]
    wrong, ours = [], 0
    for kind, symbol in symbols:
        path = path_of(symbol)
        if symbol in IN_C or (kind in "VWu" and path[0] in ("std", "__gnu_cxx")):
            continue
        ours += 1
        by_class = not classes.isdisjoint(path)
        by_function = any(path[-1] == name and (not inside or inside in path) for inside, name in functions)
        if path[0] != "weft" or not (by_class or by_function):
            wrong.append(symbol)
    for symbol in wrong:
        print(f"shown, though not marked: {symbol}")
    print(f"{library}: {len(symbols)} symbols, {ours} of weft, {len(wrong)} of them not marked")
    return 0 if ours and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
