"""Every atomic operation names its order, and every order but relaxed is explained under a tag.

A tag, such as [DEQUE-2], stands in a comment on a line of the statement or in the comment directly
above it. It has one row in docs/orderings.md:
  | tag | where | pairs with | the bug if weakened | model test that catches it |
A statement is what stands between two of ; { and }.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from source_tree import Source, Violation, arguments, cpp_files, read, report

DOCUMENT = "docs/orderings.md"
CHECKED = ("src/", "include/weft/")

# Start of the path, and why it is not checked.
SKIPPED = (
    ("src/explorer/", "implements the orders"),
    ("include/weft/explorer", "implements the orders"),
    ("include/weft/detail/sync/atomic.hpp", "the wrapper: it passes on the order it is given"),
    ("include/weft/detail/sync/fence.hpp", "the wrapper: it passes on the order it is given"),
    ("include/weft/detail/sync/tsan.hpp", "what stands in for fences where they are ignored"),
)

# Called on an object these are atomic operations; called bare, only if an order is among the arguments.
OPERATION = re.compile(
    r"(?P<object>(?:\.|->)\s*|\bsync\s*::\s*(?=fence\b))?"
    r"\b(?P<name>load|store|exchange|compare_exchange_(?:strong|weak)"
    r"|fetch_(?:add|sub|or|and|xor)|fence)\s*\("
)
ORDER = re.compile(r"(?<![.>\w])(?:memory_order_)?(relaxed|acquire|release|acq_rel|seq_cst)\b(?!\s*\()")
TAG = r"[A-Z][A-Z_]*-\d+"
CITED = re.compile(rf"(?<!\w)\[({TAG})\]")


@dataclass(frozen=True)
class Operation:
    name: str
    line: int
    orders: tuple[str, ...]
    tags: frozenset[str]

    def problem(self) -> str | None:
        needed = 2 if self.name.startswith("compare_exchange") else 1
        if len(self.orders) < needed:
            return f"{self.name} names {'one order, not two' if self.orders else 'no order'}"
        if "seq_cst" in self.orders and self.name != "fence":
            return f"seq_cst on {self.name}: it belongs on a fence"
        if set(self.orders) != {"relaxed"} and not self.tags:
            return f"{self.name} is {', '.join(self.orders)} and has no tag"
        return None


@dataclass(frozen=True)
class Row:
    tag: str
    line: int
    tests: tuple[str, ...]


def argument_list(code: str, opening: int) -> tuple[str, int]:
    """The arguments after an opening parenthesis, nested calls blanked, and where they end."""
    depth, kept = 1, []
    for offset in range(opening + 1, len(code)):
        character = code[offset]
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return "".join(kept), offset
        kept.append(character if depth == 1 else " ")
    return "".join(kept), len(code)


def comment_around(source: Source, start: int, end: int) -> str:
    """The comments on the lines of the statement that holds start…end, and directly above it."""
    code, comments = source.code.split("\n"), source.comments.split("\n")
    begin = max(source.code.rfind(edge, 0, start) for edge in ";{}") + 1
    begin += len(source.code[begin:start]) - len(source.code[begin:start].lstrip())
    close = re.compile(r"[;{}]|\Z").search(source.code, end).start()
    first, last = source.line(begin) - 1, source.line(close) - 1
    while first > 0 and not code[first - 1].strip() and comments[first - 1].strip():
        first -= 1
    return "\n".join(comments[first : last + 1])


def operations(source: Source) -> Iterator[Operation]:
    for match in OPERATION.finditer(source.code):
        inside, end = argument_list(source.code, match.end() - 1)
        orders = tuple(ORDER.findall(inside))
        if orders or match["object"]:
            tags = CITED.findall(comment_around(source, match.start(), end))
            yield Operation(match["name"], source.line(match.start("name")), orders, frozenset(tags))


def rows(text: str) -> Iterator[Row]:
    for line, content in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", content.strip())[1:-1]]
        if cells and (tag := re.fullmatch(rf"`?\[?({TAG})\]?`?", cells[0])):
            tests = re.findall(r"`([^`]+)`", cells[-1]) if len(cells) >= 5 else []
            yield Row(tag[1], line, tuple(tests))


def check_table(table: list[Row], used: set[str], identifiers: set[str]) -> Iterator[Violation]:
    seen: set[str] = set()
    for row in table:
        if row.tag in seen:
            yield Violation(DOCUMENT, row.line, f"{row.tag} has a row already")
        seen.add(row.tag)
        if row.tag not in used:
            yield Violation(DOCUMENT, row.line, f"{row.tag} is on no operation in the code")
        if not row.tests:
            yield Violation(DOCUMENT, row.line, f"{row.tag} names no `model.test` in a fifth column")
        for test in row.tests:
            if test.rsplit(".", 1)[-1] not in identifiers:
                yield Violation(DOCUMENT, row.line, f"the test {test} is nowhere under test/")


def main() -> int:
    root: Path = arguments(__doc__).parse_args().root
    table = list(rows(read(root / DOCUMENT))) if (root / DOCUMENT).is_file() else []
    known, used = {row.tag for row in table}, set()
    violations, count = [], 0
    for path, source in cpp_files(root, CHECKED):
        if path.startswith(tuple(where for where, _ in SKIPPED)):
            continue
        count += 1
        for operation in operations(source):
            used |= operation.tags
            if message := operation.problem():
                violations.append(Violation(path, operation.line, message))
        for tag in CITED.finditer(source.comments):
            if tag[1] not in known:
                line = source.line(tag.start())
                violations.append(Violation(path, line, f"[{tag[1]}] has no row in {DOCUMENT}"))
    identifiers = {name for _, source in cpp_files(root, ["test/"])
                   for name in re.findall(r"\w+", source.code)}
    violations += check_table(table, used, identifiers)
    return report("orderings", f"{count} files, {len(table)} tags", violations)


if __name__ == "__main__":
    sys.exit(main())
