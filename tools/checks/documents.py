"""Links in Markdown lead somewhere, every page of docs/ is reached from README.md, every C++ block is quoted from a file
that is compiled, and prose is wrapped at one width.

Directly above a block ```cpp stands where it is quoted from, a file of examples/ or test/:
  <!-- quoted: examples/first.cpp -->         the whole file
  <!-- quoted: examples/first.cpp#region -->  the lines between // [region] and // [/region]
The lines that mark regions are not part of any quotation. --write refreshes the blocks.

Paragraphs and list items are filled up to WIDTH columns; headings, tables, blocks, HTML, link definitions and what is
indented as code are left alone, and a word longer than the line stands on its own. --wrap fills them anew.
"""

import os
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator
from urllib.parse import unquote, urlsplit

from source_tree import Violation, arguments, blank, files, read, report

QUOTABLE = ("examples/", "test/")
QUOTED_LANGUAGES = ("cpp", "c++", "c")
WIDTH = 100

FENCE = re.compile(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3,})\s*(?P<language>[^\s`]*)[^`]*")
MARKER = re.compile(r"\s*<!-- quoted: (?P<quoted>(?P<path>[^\s#]+)(?:#(?P<region>[\w-]+))?) -->\s*")
REGION = re.compile(r"\s*// \[(/?[\w-]+)\]\s*")

NOT_PROSE = re.compile(r"<!--.*?-->|(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
DEFINITION = re.compile(r"^ {0,3}\[([^\]^][^\]]*)\]:\s*(\S+)", re.MULTILINE)
INLINE_LINK = re.compile(r"""\]\(\s*(<[^>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"""
                         r"""(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)""")
REFERENCE = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]*)\]")
AUTOLINK = re.compile(r"<(https?:[^>]*)>")
HOST = re.compile(r"[\w.-]+(?::\d+)?|\[[0-9A-Fa-f:]+\](?::\d+)?")

ATX_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
SETEXT_HEADING = re.compile(r"^ {0,3}(\S.*)\n {0,3}(?:=+|-{2,})[ \t]*$", re.MULTILINE)
HTML_ANCHOR = re.compile(r"""<a\s+(?:id|name)=["']([^"']+)["']""")


@dataclass(frozen=True)
class Block:
    """A fenced block; lines count from 0, `first` and `last` are the fences themselves."""

    first: int
    last: int
    indent: str
    language: str


def blocks(lines: list[str]) -> Iterator[Block]:
    opened, first = None, 0
    for number, line in enumerate(lines):
        fence = FENCE.fullmatch(line)
        if not opened and fence:
            opened, first = fence, number
        elif opened and fence and not fence["language"] and fence["fence"].startswith(opened["fence"]):
            yield Block(first, number, opened["indent"], opened["language"].lower())
            opened = None
    if opened:
        yield Block(first, len(lines), opened["indent"], opened["language"].lower())


class Document:
    def __init__(self, path: str, text: str):
        self.path = path
        self.lines = text.split("\n")
        self.blocks = list(blocks(self.lines))
        prose = list(self.lines)
        for block in self.blocks:
            prose[block.first : block.last + 1] = [""] * len(prose[block.first : block.last + 1])
        self.text = "\n".join(prose)  # without the blocks
        self.prose = NOT_PROSE.sub(lambda match: blank(match[0]), self.text)

    def violation(self, offset: int, message: str) -> Violation:
        return Violation(self.path, self.text.count("\n", 0, offset) + 1, message)

    def anchors(self) -> set[str]:
        """What GitHub makes of the headings: repeated ones are numbered."""
        headings = [*ATX_HEADING.finditer(self.text), *SETEXT_HEADING.finditer(self.text)]
        found, times = set(HTML_ANCHOR.findall(self.text)), {}
        for heading in sorted(headings, key=lambda match: match.start()):
            name = slug(heading[1])
            repeated = times.get(name, 0)
            times[name] = repeated + 1
            found.add(f"{name}-{repeated}" if repeated else name)
        return found


def slug(heading: str) -> str:
    heading = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    parts = re.split(r"(`[^`]*`)", heading)
    parts[::2] = [re.sub(r"(?<!\w)(_+)(\S.*?)\1(?!\w)", r"\2", part) for part in parts[::2]]
    return re.sub(r"[^\w\- ]", "", "".join(parts).lower()).strip().replace(" ", "-")


class Links:
    """Judges the links of all documents of a tree."""

    def __init__(self, names: list[str], documents: dict[str, Document]):
        folders = {parent.as_posix() for name in names for parent in Path(name).parents}
        self._targets = {*names, *folders}
        self._anchors = {path: document.anchors() for path, document in documents.items()}

    def check(self, document: Document) -> Iterator[Violation]:
        defined = {label(match[1]) for match in DEFINITION.finditer(document.prose)}
        for match in REFERENCE.finditer(document.prose):
            if label(match[2] or match[1]) not in defined:
                yield document.violation(match.start(), f"[{match[2] or match[1]}] is not defined")
        for offset, destination in destinations(document):
            if message := self._problem(document.path, destination):
                yield document.violation(offset, message)

    def _problem(self, path: str, destination: str) -> str | None:
        if scheme := re.match(r"([A-Za-z][\w+.-]*):", destination):
            good = scheme[1] == "mailto" or well_formed(destination)
            return None if good else f"{destination} is not a well-formed link"
        target, anchor = resolved(path, destination)
        if not destination or target not in self._targets:
            return f"{destination or 'an empty link'} leads nowhere"
        if anchor and anchor not in self._anchors.get(target, ()):
            return f"{target} has no heading #{anchor}"
        return None


def destinations(document: Document) -> list[tuple[int, str]]:
    """Where its links lead, each with its offset."""
    return [(match.start(), match[group].strip("<>"))
            for pattern, group in ((INLINE_LINK, 1), (AUTOLINK, 1), (DEFINITION, 2))
            for match in pattern.finditer(document.prose)]


def resolved(path: str, destination: str) -> tuple[str, str]:
    """The file that a link in `path` leads to, and the anchor there."""
    name, _, anchor = unquote(destination).partition("#")
    folder = "" if name.startswith("/") else os.path.dirname(path)
    return os.path.normpath(os.path.join(folder, name.lstrip("/"))) if name else path, anchor


def check_reachable(documents: dict[str, Document]) -> Iterator[Violation]:
    """A page that no way leads to is not read."""
    start = "README.md"
    if start not in documents:
        return
    reached, ahead = {start}, [start]
    while ahead:
        path = ahead.pop()
        targets = {resolved(path, destination)[0] for _, destination in destinations(documents[path])}
        new = (targets & documents.keys()) - reached
        reached |= new
        ahead += new
    for path in documents:
        if path.startswith("docs/") and path not in reached:
            yield Violation(path, 1, f"no link leads here from {start}")


def label(text: str) -> str:
    return " ".join(text.lower().split())


def well_formed(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    written = not re.search(r"[\s<>\"{}|\\^`]", url)
    return parts.scheme in ("http", "https") and bool(HOST.fullmatch(parts.netloc)) and written


class CannotQuote(Exception):
    pass


def quotation(root: Path, path: str, region: str | None) -> list[str]:
    """The lines that a marker asks for."""
    if not path.startswith(QUOTABLE) or ".." in Path(path).parts:
        raise CannotQuote(f"{path} is not below {' or '.join(QUOTABLE)}")
    if not (root / path).is_file():
        raise CannotQuote(f"{path} does not exist")
    lines = read(root / path).splitlines()
    marks = [match[1] if (match := REGION.fullmatch(line)) else "" for line in lines]
    first, last = 0, len(lines)
    if region:
        if marks.count(region) != 1 or marks.count(f"/{region}") != 1:
            raise CannotQuote(f"{path} needs one // [{region}] and one // [/{region}]")
        first, last = marks.index(region) + 1, marks.index(f"/{region}")
    paired = {mark for mark in marks if f"/{mark}" in marks or mark.startswith("/")}
    kept = [lines[number].rstrip() for number in range(first, last) if marks[number] not in paired]
    return textwrap.dedent("\n".join(kept)).strip("\n").split("\n")


def check_quotations(root: Path, document: Document, write: bool) -> Iterator[Violation]:
    lines, markers_used = document.lines, set()
    for block in reversed(document.blocks):  # from below, so that rewriting moves no block to come
        marker = MARKER.fullmatch(lines[block.first - 1]) if block.first else None
        if marker:
            markers_used.add(block.first)
        elif block.language in QUOTED_LANGUAGES:
            yield Violation(document.path, block.first + 1, "no <!-- quoted: … --> above this block")
        if not marker:
            continue
        try:
            wanted = quotation(root, marker["path"], marker["region"])
        except CannotQuote as error:
            yield Violation(document.path, block.first, str(error))
            continue
        shown = [line.removeprefix(block.indent).rstrip()
                 for line in lines[block.first + 1 : block.last]]
        if shown == wanted:
            continue
        if write:
            lines[block.first + 1 : block.last] = [(block.indent + w).rstrip() for w in wanted]
        else:
            yield Violation(document.path, block.first + 1, f"differs from {marker['quoted']}")
    for number, line in enumerate(document.text.split("\n"), 1):
        if MARKER.fullmatch(line) and number not in markers_used:
            yield Violation(document.path, number, "no block directly below this marker")


# A line that starts a list item: its indent, its mark and the spaces behind it.
ITEM = re.compile(r"(\s*)((?:[-*+]|\d{1,9}[.)])\s+)(?=\S)")
QUOTE = re.compile(r"\s*>")
NOT_FILLED = re.compile(
    r" {0,3}(?:#{1,6}(?:\s|$)|\||<|\[[^\]]+\]:)"  # a heading, a row of a table, HTML or a comment, a definition
    r"|.*(?:  |\\)$"  # a line that ends by intent
    r"|\s*(?:=+|-{2,}|\*{3,}|_{3,})\s*$")  # the line below a heading, or a rule
# Words that must not begin a line, where they would begin a list, a heading, a quotation or a table.
STARTS_ELSE = re.compile(r"(?:[-*+]|\d{1,9}[.)]|#{1,6}|>.*|\|.*|=+|-+|~{3,}.*|`{3,}.*|<!--.*)$")


@dataclass(frozen=True)
class Paragraph:
    """Lines that are filled as one; the first has `opening` before its words, the others `indent`."""

    first: int
    last: int
    opening: str
    indent: str


def paragraphs(document: Document) -> Iterator[Paragraph]:
    """The paragraphs that may be filled anew."""
    lines = document.text.split("\n")
    blocked = {number for block in document.blocks for number in range(block.first, block.last + 1)}
    comment = html_lines(lines)
    tables = table_lines(lines)
    number, indents = 0, [0]  # the indents of the list items that we are in
    while number < len(lines):
        line = lines[number]
        if not line.strip() or number in blocked | comment | tables or QUOTE.match(line):
            number += 1
            continue
        item = ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        indents = [known for known in indents if known <= indent] or [0]
        fills = not NOT_FILLED.match(line) and indent < indents[-1] + 4
        opening = item[0] if item else line[:indent]
        if item:
            indents.append(len(item[0]))
        first, number = number, number + 1
        while number < len(lines) and continues(lines, number, blocked | comment | tables):
            fills = fills and not NOT_FILLED.match(lines[number])
            number += 1
        if fills:
            yield Paragraph(first, number - 1, opening, " " * len(opening))


def continues(lines: list[str], number: int, elsewhere: set[int]) -> bool:
    line = lines[number]
    if not line.strip() or number in elsewhere or ITEM.match(line) or QUOTE.match(line):
        return False
    return not re.match(r" {0,3}(?:#{1,6}(?:\s|$)|\||<!--|\[[^\]]+\]:)", line)


def html_lines(lines: list[str]) -> set[int]:
    """The lines of comments, and of HTML up to the next empty line."""
    found, comment, html = set(), False, False
    for number, line in enumerate(lines):
        comment = comment or line.lstrip().startswith("<!--")
        html = (html or bool(re.match(r" {0,3}</?[a-z]+[\s>/]", line))) and bool(line.strip())
        if comment or html:
            found.add(number)
        comment = comment and "-->" not in line
    return found


def table_lines(lines: list[str]) -> set[int]:
    """The rows of tables: those around a line such as |---|---|, up to empty lines."""
    found = set()
    for number, line in enumerate(lines):
        if re.fullmatch(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*", line):
            first = last = number
            while first and lines[first - 1].strip():
                first -= 1
            while last + 1 < len(lines) and lines[last + 1].strip():
                last += 1
            found |= set(range(first, last + 1))
    return found


def words_of(text: str) -> list[str]:
    """What may not be broken stays together: code spans, and links up to their brackets' end."""
    spans = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\]\([^)\s]*\s[^)]*\)|<[a-z/!][^>]*>")
    held = spans.sub(lambda span: re.sub(r"\s+", "\0", span[0]), " ".join(text.split()))
    return held.split(" ")


def filled(paragraph: Paragraph, lines: list[str]) -> list[str]:
    text = " ".join(line.strip() for line in lines[paragraph.first : paragraph.last + 1])
    words = words_of(text[len(paragraph.opening.strip()) :].strip())
    made, line = [], paragraph.opening
    empty = True
    for word in words:
        word = word.replace("\0", " ")
        if empty:
            line, empty = line + word, False
        elif len(line) + 1 + len(word) <= WIDTH or STARTS_ELSE.match(word):
            line += " " + word
        else:
            made.append(line)
            line = paragraph.indent + word
    return [*made, line]


def check_width(document: Document, wrap: bool) -> Iterator[Violation]:
    lines = document.lines
    for paragraph in reversed(list(paragraphs(document))):
        wanted = filled(paragraph, lines)
        if lines[paragraph.first : paragraph.last + 1] == wanted:
            continue
        if wrap:
            lines[paragraph.first : paragraph.last + 1] = wanted
        else:
            yield Violation(document.path, paragraph.first + 1, f"not wrapped at {WIDTH} columns; see --wrap")


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--wrap", action="store_true", help="fill the paragraphs anew")
    parser.add_argument("--width", action="store_true", help="check the width too")
    parser.add_argument("--write", action="store_true", help="refresh the quoted blocks")
    options = parser.parse_args()
    root, names, violations = options.root, files(options.root), []
    documents = {n: Document(n, read(root / n)) for n in names if n.endswith(".md")}
    links = Links(names, documents)
    violations += check_reachable(documents)
    for path, document in documents.items():
        before = list(document.lines)
        violations += links.check(document)
        violations += check_quotations(root, document, options.write)
        if options.write:
            document = Document(path, "\n".join(document.lines))  # blocks may have moved
        if options.width or options.wrap:
            violations += check_width(document, options.wrap)
        if document.lines != before:
            (root / path).write_text("\n".join(document.lines), encoding="utf-8")
    return report("documents", f"{len(documents)} files", violations)


if __name__ == "__main__":
    sys.exit(main())
