"""Names are nouns and verbs, and prose is ordinary English.

A parameter, member, variable, function or enumerator that is called like a bare preposition or pronoun (`how`, `of`, `at_`)
says nothing about what it is. Names such as each, all, first, next, before, after, other and self are fine. C++ is read
in include/, src/, lab/ and tools/, Python in tools/.

In Markdown, and in the comments of include/, src/, lab/ and tools/, the phrases of DIALECT are refused.
"""

import ast
import re
import sys
from pathlib import Path
from typing import Iterator

from source_tree import Source, Violation, arguments, blank, cpp_files, files, read, report

FOLDERS = ("include/", "src/", "lab/", "tools/")

REFUSED = frozenset(
    "how of at in to from on by with where which what who whom whose into onto upon than as off via "
    "why here there those these until it its mine my our ours your yours his her hers their theirs me us them they we you he she".split())

# What the standard library makes us write: a class that is caught as std::exception overrides it.
OVERRIDES = re.compile(r"what\s*\(\s*\)\s*const\b")

# What users write as weft::at(time): the name is the sentence, as in weft::after(delay).
POINTS_IN_TIME = re.compile(r"at\((?:pool& target,)?\s*std::chrono::time_point<")

# Before a name these make it a use of the name, not its declaration.
NOT_TYPES = frozenset(
    "return co_return co_await co_yield throw case goto new delete else do sizeof alignof operator and or not "
    "if while for switch using namespace typename class struct enum union concept template requires".split())

TOKEN = re.compile(r"[A-Za-z_]\w*|\d(?:'?\w)*|::|->|&&|\.\.\.|[^\s\w]")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
ENUM = re.compile(r"\benum\b[^;{}()]*\{([^}]*)\}")
BINDING = re.compile(r"\bauto\s*(?:const\s*)?&{0,2}\s*\[([^\]]*)\]")
CAPTURE = re.compile(r"[\[,]\s*(?:&\s*)?(\w+)\s*=(?!=)")

# Phrase, and what to say instead.
DIALECT = [(re.compile(pattern), instead) for pattern, instead in (
    (r"(?i)\bbeside (?:itself|themselves|oneself)\b", "never concurrently with itself"),
    (r"(?i)\bthe own\b", "its own, or the worker's own"),
    (r"(?i)\b(?:is|are|was|were) told\b", "is notified, is given, or the active voice"),
    (r"(?i)\bso many (?:at a time|at once|bytes)\b", "any number of, or the number"),
    (r"(?i)\bhand-driven\b", "driven by the caller"),
    (r"(?:^|[.:;] )Who (?!am\b|are\b|is\b|may\b|can\b|does\b)\w+s\b(?![^.]*\?)", "worker, caller, waiter, owner or thread"),
    (r"\b(?:by|from|with|than|lets|wakes|unless) who (?!may\b|can\b)\w+s\b", "worker, caller, waiter, owner or thread"),
)]


def refused(name: str) -> bool:
    return name.strip("_") in REFUSED


def declared(code: str) -> Iterator[tuple[int, str]]:
    """The names that C++ code declares, as far as tokens tell, with their offsets."""
    tokens = list(TOKEN.finditer(code))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
        name = token[0]
        if not (name[0].isalpha() or name[0] == "_") or after[0] not in tuple(";,)={([:]"):
            continue
        follows_type = before[0] in (">", "&", "*", "&&", "...", "]") or (
            re.fullmatch(r"[A-Za-z_]\w*", before[0]) and before[0] not in NOT_TYPES)
        if follows_type:
            yield token.start(), name
    for pattern in (ENUM, BINDING):
        for found in pattern.finditer(code):
            for name in re.finditer(r"(?:^|,)\s*([A-Za-z_]\w*)", found[1]):
                yield found.start(1) + name.start(1), name[1]
    for found in CAPTURE.finditer(code):
        yield found.start(1), found[1]


def check_cpp(path: str, source: Source) -> Iterator[Violation]:
    code = DIRECTIVE.sub(lambda directive: blank(directive[0]), source.code)
    for offset, name in declared(code):
        if refused(name) and not OVERRIDES.match(code, offset) and not POINTS_IN_TIME.match(code, offset):
            yield Violation(path, source.line(offset), f"{name} is no noun or verb")


def declared_in_python(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def check_python(path: str, text: str) -> Iterator[Violation]:
    for line, name in declared_in_python(ast.parse(text)):
        if refused(name):
            yield Violation(path, line, f"{name} is no noun or verb")


def check_prose(path: str, text: str) -> Iterator[Violation]:
    """A phrase may go on in the next line, behind the marks of a comment."""
    plain = re.sub(r"`[^`\n]*`", lambda code: blank(code[0]), text)
    plain = re.sub(r"(?m)^[ \t]*(?:///?<?|\*|>|#)?[ \t]*", lambda mark: " " * len(mark[0]), plain)
    flat = re.sub(r"\n *", lambda ends: " " + "\0" * (len(ends[0]) - 1), plain)
    places = [offset for offset, character in enumerate(flat) if character != "\0"]
    flat = flat.replace("\0", "")
    for pattern, instead in DIALECT:
        for found in pattern.finditer(flat):
            line = text.count("\n", 0, places[found.start()]) + 1
            yield Violation(path, line, f"“{found[0].strip(' .:;')}”: say {instead}")


def main() -> int:
    root: Path = arguments(__doc__).parse_args().root
    violations, count = [], 0
    for path, source in cpp_files(root, FOLDERS):
        count += 1
        violations += check_cpp(path, source)
        violations += check_prose(path, source.comments)
    for path in files(root):
        if path.endswith(".py") and path.startswith("tools/"):
            count += 1
            violations += check_python(path, read(root / path))
        elif path.endswith(".md"):
            count += 1
            fences = re.sub(r"(?ms)^(```|~~~).*?^\1", lambda block: blank(block[0]), read(root / path))
            violations += check_prose(path, fences)
    return report("names", f"{count} files", violations)


if __name__ == "__main__":
    sys.exit(main())
