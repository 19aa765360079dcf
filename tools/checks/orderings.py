"""Every atomic operation names its order, and every order but relaxed is explained under a tag.

A tag, such as [DEQUE-2], stands in a comment on a line of the statement or in the comment directly
above it. It has one row in docs/orderings.md:
  | tag | where | pairs with | the bug if weakened | model test that catches it | weakened |
A statement is what stands between two of ; { and }.

Names are checked too: a row names the functions that its operations are in (`type::function`: …), and its partners,
whose rows name it. "pairs with f()" in a comment names a function that exists and that a partner of the tag is in; if the
class around it has an f, it is that one. The table of a class names members of the class.

The last column says what became of the weakened operation: it was `killed`, or the row argues why not. With
--weakened FILE, where FILE has the output of the model tests, this is compared with what they did.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from functions import Functions
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

# Start of the path, and why no model test weakens the orders there.
NOT_IN_MODEL = (
    ("src/sync/asymmetric_fence", "model builds have other fences in their place, which are weakened where they are called"),
)

# Called on an object these are atomic operations; called bare, only if an order is among the arguments.
OPERATION = re.compile(
    r"(?P<object>(?:\.|->)\s*|\bsync\s*::\s*(?=fence\b))?"
    r"\b(?P<name>load|store|exchange|compare_exchange_(?:strong|weak)"
    r"|fetch_(?:add|sub|or|and|xor)|fence)\s*\("
)
ORDER = re.compile(r"(?<![.>\w])(?:memory_order_)?(relaxed|acquire|release|acq_rel|seq_cst)\b(?!\s*\()")
TAG = r"[A-Z][A-Z_]*-\d+"
OUTCOMES = ("killed", "argued")
WEAKENED = re.compile(r"weakened: (\S+):(\d+) (\w+: \w+): (killed|survived)")
CITED = re.compile(rf"(?<!\w)\[({TAG})\]")


@dataclass(frozen=True)
class Operation:
    name: str
    line: int
    last_line: int
    offset: int
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
    weakened: str = ""
    functions: tuple[str, ...] = ()  # in the second column, before what they do
    partners: tuple[str, ...] = ()


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
            yield Operation(match["name"], source.line(match.start("name")), source.line(end), match.start("name"), orders,
                            frozenset(tags))


def rows(text: str) -> Iterator[Row]:
    for line, content in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", content.strip())[1:-1]]
        if cells and (tag := re.fullmatch(rf"`?\[?({TAG})\]?`?", cells[0])):
            tests = re.findall(r"`([^`]+)`", cells[4]) if len(cells) >= 5 else []
            weakened = cells[5] if len(cells) >= 6 else ""
            functions = re.findall(r"`([\w:~]+)(?:\(\))?`", cells[1]) if len(cells) > 1 else []
            partners = re.findall(rf"(?<![\w-])({TAG})(?![\w-])", cells[2]) if len(cells) > 2 else []
            yield Row(tag[1], line, tuple(tests), weakened, tuple(functions), tuple(partners))


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
        if row.weakened not in OUTCOMES:
            yield Violation(DOCUMENT, row.line, f"{row.tag} does not say in a sixth column: {' or '.join(OUTCOMES)}")
        for test in row.tests:
            if test.rsplit(".", 1)[-1] not in identifiers:
                yield Violation(DOCUMENT, row.line, f"the test {test} is nowhere under test/")


def names(function: str, path: tuple[str, ...]) -> bool:
    """Whether a name such as `type::function` is that of a function with this full name."""
    wanted = function.split("::")
    return bool(path) and wanted[-1] == path[-1] and all(each in path for each in wanted[:-1])


def check_places(table: list[Row], places: dict[str, list[tuple[str, int, tuple[str, ...]]]]) -> Iterator[Violation]:
    """Each operation is in a function of its row, each function of the row has one, and its partners name the row."""
    known = {row.tag: row for row in table}
    for row in table:
        found = places.get(row.tag, [])
        if not row.functions and found:
            yield Violation(DOCUMENT, row.line, f"{row.tag} names no `function` in the second column")
            continue
        for path, line, function in found:
            if not any(names(each, function) for each in row.functions):
                yield Violation(path, line, f"[{row.tag}] is in {'::'.join(function[-2:]) or 'no function'}, "
                                            f"not in {' or '.join(row.functions)}")
        for each in row.functions:
            if found and not any(names(each, function) for _, _, function in found):
                yield Violation(DOCUMENT, row.line, f"{row.tag} is not in {each}")
        if not row.partners:
            yield Violation(DOCUMENT, row.line, f"{row.tag} names no partner in the third column")
        for partner in row.partners:
            if partner not in known:
                yield Violation(DOCUMENT, row.line, f"{row.tag} pairs with {partner}, which has no row")
            elif row.tag not in known[partner].partners:
                yield Violation(DOCUMENT, row.line, f"{row.tag} pairs with {partner}, whose row does not name {row.tag}")


def outcomes_of_runs(text: str) -> dict[tuple[str, int], dict[str, bool]]:
    """By file, as the compiler calls it, and line: the changes that were made there, and whether a test noticed."""
    found: dict[tuple[str, int], dict[str, bool]] = {}
    for path, line, change, outcome in WEAKENED.findall(text):
        changes = found.setdefault((path, int(line)), {})
        changes[change] = changes.get(change, False) or outcome == "killed"
    return found


def check_weakened(table: list[Row], operations_of: dict[str, list[tuple[str, Operation]]], output: str) -> Iterator[Violation]:
    """Each tagged operation was weakened, and the row says what became of that."""
    runs = outcomes_of_runs(output)
    for row in table:
        killed, weakened = True, False
        for path, operation in operations_of.get(row.tag, []):
            if set(operation.orders) == {"relaxed"}:  # in one statement with an operation that has the tag
                continue
            if path.startswith(tuple(start for start, _ in NOT_IN_MODEL)):
                continue
            weakened = True
            lines = range(operation.line, operation.last_line + 1)
            changes = {change: noticed for (file, line), found in runs.items()
                       if line in lines and file.endswith("/" + path) for change, noticed in found.items()}
            if not changes:
                yield Violation(path, operation.line, f"[{row.tag}] is weakened by no model test")
            for change, noticed in changes.items():
                killed = killed and noticed
                if not noticed and row.weakened == "killed":
                    yield Violation(path, operation.line, f"[{row.tag}] is not killed: {change} survives")
        if not weakened and row.weakened == "killed" and row.tag in operations_of:
            yield Violation(DOCUMENT, row.line, f"{row.tag} is not killed: it is not in the model build")
        if weakened and killed and row.weakened == "argued":
            yield Violation(DOCUMENT, row.line, f"{row.tag} is argued, and killed")


PAIRS = re.compile(r"\b[Pp]airs with\b((?:(?!\b[Pp]airs with\b|\n[ \t]*\n)[^\[.;])*)")
TABLE = re.compile(r"^[ \t]*///?[ \t]*\|[ \t]*operation[ \t]*\|.*\n((?:[ \t]*///?[ \t]*\|.*\n)+)", re.MULTILINE)


def resolve(function: str, surroundings: tuple[str, ...], defined: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The full names that `function` may stand for: in the class around it first, then further out, then anywhere."""
    wanted = tuple(function.split("::"))
    for depth in range(len(surroundings), 0, -1):
        if (found := surroundings[:depth] + wanted) in defined:
            return {found}
    return {each for each in defined if names(function, each)}


def tags_of(comments: str, end: int) -> list[str]:
    """The tags that what ends there belongs to: those that come next in the comment."""
    block = re.split(r"\n[ \t]*\n", comments[end:], maxsplit=1)[0]
    tags = re.search(rf"\[{TAG}\](?:\s*\[{TAG}\])*", block)
    return CITED.findall(tags[0]) if tags else []


def check_partners(path: str, source: Source, scopes: Functions, defined: set[tuple[str, ...]],
                   table: dict[str, Row]) -> Iterator[Violation]:
    """"pairs with f()" names a function of the tree, `defined`, that one of the tag's partners is in."""
    comments = re.sub(r"(?<=\n)([ \t]*)(///?)", lambda mark: mark[1] + " " * len(mark[2]), source.comments)
    for pair in PAIRS.finditer(comments):
        line, tags = source.line(pair.start()), tags_of(comments, pair.end(1))
        partners = {function for tag in tags if tag in table for partner in table[tag].partners if partner in table
                    for function in table[partner].functions}
        named = list(re.finditer(r"([\w:~]+)\(\)", pair[1]))
        if tags and not named:
            yield Violation(path, line, f"[{tags[0]}] pairs with no function()")
        for name in named:
            line = source.line(pair.start(1) + name.start())
            found = resolve(name[1], scopes.surroundings(pair.start()), defined)
            if not found:
                yield Violation(path, line, f"pairs with {name[0]}, which is no function")
            elif partners and not any(names(each, function) for each in partners for function in found):
                yield Violation(path, line, f"[{tags[0]}] pairs with {name[0]}, "
                                            f"but its partners are in {', '.join(sorted(partners))}")


def check_operations(path: str, source: Source, scopes: Functions) -> Iterator[Violation]:
    """The first column of a class's table of operations names members of the class."""
    for table in TABLE.finditer(source.comments):
        described = scopes.class_after(table.end())
        if not described:
            continue
        members = scopes.members(described)
        members.add(described.path[-1] if described.path else "")
        first = source.line(table.start(1))
        for line, row in enumerate(table[1].splitlines(), first):
            operation = row.split("|")[1]
            for name in re.findall(r"[A-Za-z_~]\w*", re.sub(r"\([^)]*\)", " ", operation)):
                if name not in members:
                    yield Violation(path, line, f"{described.path[-1] if described.path else 'the class'} has no {name}")


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--weakened", type=Path, metavar="FILE", help="the output of the model tests, all of them")
    options = parser.parse_args()
    root: Path = options.root
    table = list(rows(read(root / DOCUMENT))) if (root / DOCUMENT).is_file() else []
    known, used = {row.tag for row in table}, set()
    violations, count, places, tagged = [], 0, {}, {}
    sources = list(cpp_files(root, CHECKED))
    scopes_of = {path: Functions(source.code) for path, source in sources}
    defined = {each for scopes in scopes_of.values() for each in scopes.definitions()}
    rows_of = {row.tag: row for row in table}
    for path, source in sources:
        if path.startswith(tuple(start for start, _ in SKIPPED)):
            continue
        count += 1
        scopes = scopes_of[path]
        violations += check_partners(path, source, scopes, defined, rows_of)
        violations += check_operations(path, source, scopes)
        for operation in operations(source):
            used |= operation.tags
            for tag in operation.tags:
                tagged.setdefault(tag, []).append((path, operation))
                places.setdefault(tag, []).append((path, operation.line, scopes.enclosing(operation.offset)))
            if message := operation.problem():
                violations.append(Violation(path, operation.line, message))
        for tag in CITED.finditer(source.comments):
            if tag[1] not in known:
                line = source.line(tag.start())
                violations.append(Violation(path, line, f"[{tag[1]}] has no row in {DOCUMENT}"))
    identifiers = {name for _, source in cpp_files(root, ["test/"])
                   for name in re.findall(r"\w+", source.code)}
    violations += check_table(table, used, identifiers)
    violations += check_places(table, places)
    if options.weakened:
        violations += check_weakened(table, tagged, read(options.weakened))
    return report("orderings", f"{count} files, {len(table)} tags", violations)


if __name__ == "__main__":
    sys.exit(main())
